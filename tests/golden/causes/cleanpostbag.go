// cleanpostbag TRACE: writes the trace that tests/unit/test_causes.c reads: who has the bag empties the letter box into it, much at once; the others
// wait for the bag. The box is a connection, which is never waited for within a system call. Built with -trimpath.
package main

import (
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func fill(box net.Conn) {
	letters := make([]byte, 8<<20)
	for {
		if _, err := box.Write(letters); err != nil {
			return
		}
	}
}

func empty(bag *sync.Mutex, box net.Conn, letters []byte) {
	bag.Lock()
	box.Read(letters)
	bag.Unlock()
}

func main() {
	runtime.GOMAXPROCS(2)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	out, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		panic(err)
	}
	box, err := ln.Accept()
	if err != nil {
		panic(err)
	}
	box.(*net.TCPConn).SetReadBuffer(8 << 20)
	go fill(out)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var bag sync.Mutex
	var postmen sync.WaitGroup
	for i := 0; i < 3; i++ {
		postmen.Add(1)
		go func() {
			defer postmen.Done()
			letters := make([]byte, 8<<20)
			for i := 0; i < 12; i++ {
				empty(&bag, box, letters)
				time.Sleep(200 * time.Microsecond)
			}
		}()
	}
	postmen.Wait()
	trace.Stop()
	f.Close()
	out.Close()
}
