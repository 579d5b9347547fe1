// cleanfarewells TRACE: writes the trace that tests/unit/test_causes.c reads: guests ask a process of their own now and then; at the end all say
// goodbye side by side, which takes a twentieth of the trace, though their waits together are longer than all of it. Built with -trimpath.
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

type guest struct {
	c net.Conn
	r *bufio.Reader
}

func (g guest) ask(ms int) {
	fmt.Fprintln(g.c, ms)
	g.r.ReadString('\n')
}

func (g guest) goodbye() { g.ask(20) }

type house struct{ guests []guest }

func (h *house) shut() {
	var wg sync.WaitGroup
	for _, g := range h.guests {
		wg.Add(1)
		go func() {
			defer wg.Done()
			g.goodbye()
		}()
	}
	wg.Wait()
}

func main() {
	if len(os.Args) < 2 {
		answer()
		return
	}
	runtime.GOMAXPROCS(4)
	clerk := exec.Command(os.Args[0])
	in, _ := clerk.StdinPipe()
	out, _ := clerk.StdoutPipe()
	if err := clerk.Start(); err != nil {
		panic(err)
	}
	addr, _ := bufio.NewReader(out).ReadString('\n')
	h := &house{}
	for i := 0; i < 40; i++ {
		c, err := net.Dial("tcp", addr[:len(addr)-1])
		if err != nil {
			panic(err)
		}
		h.guests = append(h.guests, guest{c, bufio.NewReader(c)})
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	time.Sleep(400 * time.Millisecond)
	h.shut()
	trace.Stop()
	f.Close()
	in.Close()
	clerk.Wait()
}

// answer is the other process: it answers each line after as many milliseconds as that says.
func answer() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	go func() {
		os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			r := bufio.NewReader(c)
			for {
				var ms int
				if _, err := fmt.Fscanln(r, &ms); err != nil {
					return
				}
				time.Sleep(time.Duration(ms) * time.Millisecond)
				fmt.Fprintln(c)
			}
		}()
	}
}
