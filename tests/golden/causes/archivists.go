// archivists TRACE: writes the trace that tests/unit/test_causes_said.c reads: what is asked is looked up in the same process, over connections that were there before the trace. Built with -trimpath.
package main

import (
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func lookUp(c net.Conn) {
	var b [1]byte
	for {
		if _, err := c.Read(b[:]); err != nil {
			return
		}
		time.Sleep(6 * time.Millisecond)
		c.Write(b[:])
	}
}

func ask(c net.Conn) {
	var b [1]byte
	c.Write(b[:])
	if _, err := c.Read(b[:]); err != nil {
		panic(err)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	desk, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := desk.Accept()
			if err != nil {
				return
			}
			go lookUp(c)
		}
	}()
	var to []net.Conn
	for i := 0; i < 5; i++ {
		c, err := net.Dial("tcp", desk.Addr().String())
		if err != nil {
			panic(err)
		}
		ask(c)
		to = append(to, c)
	}
	traced(func() {
		var all sync.WaitGroup
		for _, c := range to {
			all.Add(1)
			go func(c net.Conn) {
				defer all.Done()
				for i := 0; i < 30; i++ {
					ask(c)
				}
			}(c)
		}
		all.Wait()
	})
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	work()
	trace.Stop()
	f.Close()
}
