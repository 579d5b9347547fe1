// heralds TRACE [clean]: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"time"
)

// The oracle thinks about one question of three for 9 ms; a herald waits for 5, comes again over a new connection, and goes home after the
// third time. Clean: it waits for 20.
func oracle(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			for in := bufio.NewScanner(c); in.Scan(); {
				if strings.HasPrefix(in.Text(), "hard") {
					time.Sleep(9 * time.Millisecond)
				}
				fmt.Fprintln(c, "so be it")
			}
		}()
	}
}

type herald struct {
	addr  string
	limit time.Duration
	c     net.Conn
	in    *bufio.Reader
}

func (h *herald) call(question string) error {
	if h.c == nil {
		h.c, _ = net.Dial("tcp", h.addr)
		h.in = bufio.NewReader(h.c)
	}
	h.c.SetReadDeadline(time.Now().Add(h.limit))
	fmt.Fprintln(h.c, question)
	_, err := h.in.ReadString('\n')
	if err != nil {
		h.c.Close()
		h.c = nil
	}
	return err
}

func (h *herald) ask(question string) {
	for n := 0; n < 3 && h.call(question) != nil; n++ {
	}
}

func main() {
	if len(os.Args) > 2 && os.Args[2] == "oracle" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		fmt.Println(l.Addr())
		oracle(l)
	}
	runtime.GOMAXPROCS(4)
	limit := 5 * time.Millisecond
	if len(os.Args) > 2 {
		limit *= 4
	}
	from, to, _ := os.Pipe()
	other, err := os.StartProcess(os.Args[0], []string{os.Args[0], "", "oracle"}, &os.ProcAttr{Files: []*os.File{nil, to, os.Stderr}})
	if err != nil {
		panic(err)
	}
	addr, _ := bufio.NewReader(from).ReadString('\n')
	traced(func() {
		var wg sync.WaitGroup
		for i := 0; i < 3; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				h := &herald{addr: strings.TrimSpace(addr), limit: limit}
				for n := 0; n < 21; n++ {
					h.ask([]string{"easy", "easy", "hard"}[n%3])
				}
			}()
		}
		wg.Wait()
	})
	other.Kill()
	other.Wait()
}
func traced(work func()) {
	f, err := os.Create(os.Args[1])
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
