// castaways TRACE: writes the trace that tests/unit/test_causes.c reads: four ask, and one after the other waits for good for an answer. Built with -trimpath.
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
	for {
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
				if b[0] != '?' { // else never
					c.Write(b)
				}
			}
		}()
	}
}

func send(c net.Conn, bottle byte) {
	c.Write([]byte{bottle})
	io.ReadFull(c, make([]byte, 1))
}

func castaway(c net.Conn, bottles chan byte) {
	for b := range bottles {
		send(c, b)
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
	var conns []net.Conn
	for i := 0; i < 4; i++ {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			panic(err)
		}
		conns = append(conns, c)
	}
	traced(os.Args[1], func() {
		bottles := make(chan byte)
		for _, c := range conns {
			go castaway(c, bottles)
		}
		end := time.After(500 * time.Millisecond)
		for i := 1; ; i++ {
			b := byte('x')
			if i%19 == 0 {
				b = '?'
			}
			select {
			case bottles <- b:
			case <-end:
				return
			}
		}
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
