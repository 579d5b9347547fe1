// weatherman TRACE: writes the trace that tests/unit/test_causes.c reads: what is measured is sent on in the background, and nobody waits for that. Built with -trimpath.
package main

import (
	"io"
	"net"
	"os"
	"runtime"
	"runtime/trace"
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

func note(c net.Conn, n int) {
	c.Write([]byte{byte(n)})
	io.ReadFull(c, make([]byte, 1))
}

func weatherman(c net.Conn, in chan int) {
	for n := range in {
		note(c, n)
	}
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
		in := make(chan int, 500)
		go weatherman(c, in)
		for v := range 4 {
			go func() {
				for k := 0; ; k++ {
					in <- v + 4*k
					time.Sleep(7 * time.Millisecond)
				}
			}()
		}
		time.Sleep(250 * time.Millisecond)
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
