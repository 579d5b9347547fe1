// sexton TRACE: writes the trace that tests/unit/test_causes.c reads: who wants a number asks the one that fetches each of them from elsewhere. Built with -trimpath.
package main

import (
	"io"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func serve(l net.Listener) { // the other side, a process of its own
	c, err := l.Accept()
	if err != nil {
		panic(err)
	}
	for b := make([]byte, 1); ; {
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		time.Sleep(time.Millisecond)
		c.Write(b)
	}
}

type ask struct{ answer chan int }

func fetch(c net.Conn, n int) int {
	c.Write([]byte{byte(n)})
	io.ReadFull(c, make([]byte, 1))
	return n
}

func sexton(c net.Conn, in chan ask) {
	n := 0
	for a := range in {
		n++
		a.answer <- fetch(c, n)
	}
}

func register(in chan ask) int {
	a := ask{make(chan int, 1)}
	in <- a
	return <-a.answer
}

func main() {
	runtime.GOMAXPROCS(4)
	if len(os.Args) > 2 {
		l, err := net.FileListener(os.NewFile(3, "l"))
		if err != nil {
			panic(err)
		}
		serve(l)
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	f, _ := l.(*net.TCPListener).File()
	if _, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-", "serve"}, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr, f}}); err != nil {
		panic(err)
	}
	l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	traced(os.Args[1], func() {
		in := make(chan ask)
		go sexton(c, in)
		var wg sync.WaitGroup
		for i := 0; i < 6; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for k := 0; k < 15; k++ {
					register(in)
				}
			}()
		}
		wg.Wait()
	})
}

func traced(path string, work func()) {
	f, err := os.Create(path)
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
