// telegraphists TRACE: writes the trace that tests/unit/test_causes.c reads: for each telegram a line is opened, by a helper, and logged in
// on; who sends closes it again. Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

func post(l net.Listener) { // the other side, another process
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			in := bufio.NewReader(c)
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					c.Close()
					return
				}
				time.Sleep(700 * time.Microsecond)
				c.Write([]byte(line))
			}
		}()
	}
}

type line struct {
	c  net.Conn
	in *bufio.Reader
}

func (l *line) ask(what string) {
	fmt.Fprintln(l.c, what)
	if _, err := l.in.ReadString('\n'); err != nil {
		panic(err)
	}
}

func dial(to string) *line {
	c, err := net.Dial("tcp", to)
	if err != nil {
		panic(err)
	}
	return &line{c, bufio.NewReader(c)}
}

func login(to string) *line {
	l := dial(to)
	l.ask("name")
	l.ask("password")
	return l
}

func telegram(to string) {
	l := login(to)
	l.ask("all is well")
	l.c.Close()
}

func telegraphist(to string, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 12; i++ {
		telegram(to)
	}
}

func main() {
	if len(os.Args) < 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		fmt.Println(l.Addr())
		post(l)
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	other, err := os.StartProcess(os.Args[0], os.Args[:1], &os.ProcAttr{Files: []*os.File{nil, w, os.Stderr}})
	if err != nil {
		panic(err)
	}
	var to string
	fmt.Fscan(r, &to)
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go telegraphist(to, &wg)
	}
	wg.Wait()
	trace.Stop()
	f.Close()
	other.Kill()
}
