// envoys TRACE: writes the trace that tests/unit/test_causes.c reads: three envoys introduce themselves at court anew for each question, over a
// new connection. Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func court(l net.Listener) { // a process of its own
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			in := bufio.NewReader(c)
			for {
				s, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if s == "bow\n" {
					time.Sleep(2 * time.Millisecond)
				}
				fmt.Fprintln(c, "well")
			}
		}()
	}
}

type audience struct {
	net.Conn
	in *bufio.Reader
}

func (a *audience) say(s string) {
	fmt.Fprintln(a, s)
	a.in.ReadString('\n')
}

func introduce(to string) *audience {
	c, err := net.Dial("tcp", to)
	if err != nil {
		panic(err)
	}
	a := &audience{c, bufio.NewReader(c)}
	a.say("bow")
	return a
}

func envoy(to string) {
	a := introduce(to)
	a.say("peace?")
	a.Close()
}

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if len(os.Args) > 2 {
		if l, err = net.FileListener(os.NewFile(3, "court")); err == nil {
			court(l)
		}
		return
	}
	if err != nil {
		panic(err)
	}
	lf, _ := l.(*net.TCPListener).File()
	out := exec.Command(os.Args[0], os.Args[1], "court")
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
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 20; n++ {
				envoy(l.Addr().String())
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
