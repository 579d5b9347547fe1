// hauliers TRACE: writes the trace that tests/unit/test_causes.c reads: three take loads off one heap until it is gone, each by a road of its own length. Built with -trimpath.
package main

import (
	"io"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

func serve(l net.Listener) { // the other side, a process of its own
	for n := 1; ; n++ {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		go func() {
			for b := make([]byte, 1); ; {
				if _, err := io.ReadFull(c, b); err != nil {
					os.Exit(0)
				}
				time.Sleep(time.Duration(n) * time.Millisecond)
				c.Write(b)
			}
		}()
	}
}

func haul(c net.Conn) {
	c.Write([]byte("x"))
	io.ReadFull(c, make([]byte, 1))
}

func haulier(c net.Conn, heap *atomic.Int32, wg *sync.WaitGroup) {
	defer wg.Done()
	for heap.Add(-1) >= 0 {
		haul(c)
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
	for i := 0; i < 3; i++ {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			panic(err)
		}
		conns = append(conns, c)
	}
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		var heap atomic.Int32
		heap.Store(90)
		for _, c := range conns {
			wg.Add(1)
			go haulier(c, &heap, &wg)
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
