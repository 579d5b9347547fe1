// apothecary TRACE: writes the trace that tests/unit/test_causes.c reads: eight wait for one lock, held while three others are asked side by side, another process. Built with -trimpath.
package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func growers(l net.Listener) { // a process of its own
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
				time.Sleep(11 * time.Millisecond)
				c.Write(b)
			}
		}()
	}
}

type apothecary struct {
	mu      sync.Mutex
	growers []net.Conn
}

func ask(c net.Conn) {
	c.Write([]byte("x"))
	io.ReadFull(c, make([]byte, 1))
}

func (a *apothecary) gather() {
	var wg sync.WaitGroup
	for _, c := range a.growers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			ask(c)
		}()
	}
	wg.Wait()
}

func (a *apothecary) mix() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gather()
}

func main() {
	runtime.GOMAXPROCS(4)
	if len(os.Args) > 2 {
		l, err := net.FileListener(os.NewFile(3, "growers"))
		if err != nil {
			panic(err)
		}
		growers(l)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	lf, _ := l.(*net.TCPListener).File()
	out := exec.Command(os.Args[0], os.Args[1], "growers")
	out.ExtraFiles = []*os.File{lf}
	if err := out.Start(); err != nil {
		panic(err)
	}
	a := &apothecary{}
	for i := 0; i < 3; i++ {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			panic(err)
		}
		a.growers = append(a.growers, c)
	}
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for i := 0; i < 8; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for n := 0; n < 3; n++ {
					a.mix()
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
	if err := f.Close(); err != nil {
		panic(err)
	}
}
