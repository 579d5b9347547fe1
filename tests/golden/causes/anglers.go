// anglers TRACE: writes the trace that tests/unit/test_causes.c reads: one cast of four fails, and each pause behind that is longer, whatever is caught between. Built with -trimpath.
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
				time.Sleep(time.Millisecond)
				c.Write(b)
			}
		}()
	}
}

type angler struct {
	c     net.Conn
	pause time.Duration
}

func (a *angler) cast(line byte) bool {
	b := []byte{line}
	a.c.Write(b)
	io.ReadFull(a.c, b)
	return b[0] != 3
}

func (a *angler) rest() {
	time.Sleep(a.pause)
	if a.pause *= 2; a.pause > 40*time.Millisecond {
		a.pause = 40 * time.Millisecond
	}
}

func (a *angler) fish() {
	for i := range 48 {
		if !a.cast(byte(i % 4)) {
			a.rest()
		}
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
		var wg sync.WaitGroup
		for _, c := range conns {
			a := &angler{c, 2 * time.Millisecond}
			wg.Go(a.fish)
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
