// ferryhands TRACE: writes the trace that tests/unit/test_causes.c reads: four hands hail a ferry that is full three times in ten, and each
// then waits 12 ms, however often it was. Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func ferry(l net.Listener) { // a process of its own
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			in := bufio.NewReader(c)
			for {
				if _, err := in.ReadString('\n'); err != nil {
					return
				}
				time.Sleep(700 * time.Microsecond)
				if rand.Intn(10) < 3 {
					fmt.Fprintln(c, "full")
				} else {
					fmt.Fprintln(c, "aboard")
				}
			}
		}()
	}
}

type quay struct {
	c  net.Conn
	in *bufio.Reader
}

func (q *quay) hail() bool {
	fmt.Fprintln(q.c, "ferry")
	s, _ := q.in.ReadString('\n')
	return s == "aboard\n"
}

func rest() { time.Sleep(12 * time.Millisecond) }

func (q *quay) ship() {
	for !q.hail() {
		rest()
	}
}

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if len(os.Args) > 2 {
		f := os.NewFile(3, "ferry")
		if l, err = net.FileListener(f); err == nil {
			ferry(l)
		}
		return
	}
	if err != nil {
		panic(err)
	}
	lf, _ := l.(*net.TCPListener).File()
	out := exec.Command(os.Args[0], os.Args[1], "ferry")
	out.ExtraFiles = []*os.File{lf}
	if err := out.Start(); err != nil {
		panic(err)
	}
	defer out.Process.Kill()
	runtime.GOMAXPROCS(4)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				panic(err)
			}
			q := &quay{c, bufio.NewReader(c)}
			for n := 0; n < 30; n++ {
				q.ship()
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
