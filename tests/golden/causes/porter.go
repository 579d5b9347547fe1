// porter TRACE: writes the trace that tests/unit/test_causes.c reads: the one goroutine that accepts connections reads each newcomer's
// first line itself, and some take their time. Built with -trimpath.
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

func greet(c net.Conn) *bufio.Reader {
	r := bufio.NewReader(c)
	r.ReadString('\n')
	return r
}

func serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		r := greet(c)
		go func() {
			defer c.Close()
			for {
				if _, err := r.ReadString('\n'); err != nil {
					return
				}
				fmt.Fprintln(c, "yes")
			}
		}()
	}
}

func visit(addr string, slow bool) {
	for range 6 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		if slow {
			time.Sleep(4 * time.Millisecond)
		}
		fmt.Fprintln(c, "it is me")
		fmt.Fprintln(c, "is there any?")
		bufio.NewReader(c).ReadString('\n')
		c.Close()
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
	for i := range 6 {
		wg.Add(1)
		go func() { defer wg.Done(); visit(l.Addr().String(), i%3 == 0) }()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
