// cleanferryman TRACE: writes the trace that tests/unit/test_causes.c reads: a server greets each that comes in one function and answers it
// in another, always waiting for the other side. Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type guest struct {
	c net.Conn
	r *bufio.Reader
}

func greet(c net.Conn) *guest {
	g := &guest{c, bufio.NewReader(c)}
	g.r.ReadString('\n')
	fmt.Fprintln(c, "aboard")
	return g
}

func (g *guest) carry() {
	defer g.c.Close()
	for {
		if _, err := g.r.ReadString('\n'); err != nil {
			return
		}
		fmt.Fprintln(g.c, "over")
	}
}

func serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() { greet(c).carry() }()
	}
}

func travel(addr string) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		panic(err)
	}
	defer c.Close()
	r := bufio.NewReader(c)
	for i := 0; i < 7; i++ {
		fmt.Fprintln(c, "go")
		r.ReadString('\n')
		time.Sleep(200 * time.Microsecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	go serve(l)
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 10; n++ {
				travel(l.Addr().String())
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
