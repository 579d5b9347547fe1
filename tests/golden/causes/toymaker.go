// toymaker TRACE: writes the trace that tests/unit/test_causes.c reads: toymakers send for parts one after the other; where one is not to be had they
// rest, for long, and send again. Built with -trimpath.
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
	for asked := 0; ; {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		go func() {
			for b := make([]byte, 1); ; {
				if _, err := io.ReadFull(c, b); err != nil {
					os.Exit(0)
				}
				time.Sleep(2 * time.Millisecond)
				asked++
				b[0] = byte(asked % 10) // 0: not to be had
				c.Write(b)
			}
		}()
	}
}

func send(c net.Conn) bool {
	b := []byte{1}
	c.Write(b)
	io.ReadFull(c, b)
	return b[0] != 0
}

func rest() { time.Sleep(60 * time.Millisecond) }

func fetchPart(c net.Conn) {
	for !send(c) {
		rest()
	}
}

func toymaker(addr string, parts <-chan int) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		panic(err)
	}
	for range parts {
		fetchPart(c)
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
	out, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(out); err != nil {
		panic(err)
	}
	parts := make(chan int)
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() { defer all.Done(); toymaker(l.Addr().String(), parts) }()
	}
	for i := 0; i < 160; i++ {
		parts <- i
	}
	close(parts)
	all.Wait()
	trace.Stop()
	out.Close()
}
