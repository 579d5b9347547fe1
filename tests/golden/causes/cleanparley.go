// cleanparley TRACE: writes the trace that tests/unit/test_causes.c reads: a server that greets, then talks step by step; its guests take their time. Built with -trimpath.
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

type parley struct {
	c net.Conn
	r *bufio.Reader
}

func (p *parley) say(s string) { fmt.Fprintln(p.c, s) }
func (p *parley) hear() bool {
	_, err := p.r.ReadString('\n')
	return err == nil
}
func (p *parley) greet() bool {
	p.say("who is there")
	return p.hear2()
}
func (p *parley) hear2() bool {
	_, err := p.r.ReadString('\n')
	return err == nil
}
func (p *parley) more() bool {
	ok := p.hear()
	p.say("more")
	return ok
}
func (p *parley) step() bool {
	if !p.hear() {
		return false
	}
	p.say("well")
	return p.more()
}
func (p *parley) hold() {
	defer p.c.Close()
	if p.greet() {
		p.say("welcome")
		for p.step() {
		}
	}
}

func accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go (&parley{c, bufio.NewReader(c)}).hold()
	}
}

func guests(addr string) { // a process of its own
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c, err := net.Dial("tcp", addr)
			if err != nil {
				return
			}
			r := bufio.NewReader(c)
			r.ReadString('\n')
			for k := 0; k < 25; k++ {
				time.Sleep(7 * time.Millisecond)
				fmt.Fprintln(c, "so", k)
				r.ReadString('\n')
			}
			c.Close()
		}()
	}
	wg.Wait()
}

func main() {
	if len(os.Args) > 2 {
		guests(os.Args[2])
		return
	}
	runtime.GOMAXPROCS(4)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	traced(os.Args[1], func() {
		go accept(l)
		p, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-", l.Addr().String()}, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr}})
		if err != nil {
			panic(err)
		}
		p.Wait()
		l.Close()
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
