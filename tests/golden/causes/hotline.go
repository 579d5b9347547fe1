// hotline TRACE CLEAN: writes the traces that tests/unit/test_causes.c reads: callers ring all along, say one word and nothing more, and nobody hangs up. CLEAN: each says a word now and then. Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime/trace"
	"time"
)

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

type hotline struct{ l net.Listener }

func (h *hotline) hear(call net.Conn) {
	defer call.Close()
	for in := bufio.NewScanner(call); in.Scan(); {
		fmt.Fprintln(call, "yes")
	}
}

func (h *hotline) answer() {
	for {
		call, err := h.l.Accept()
		if err != nil {
			return
		}
		go h.hear(call)
	}
}

func ring(to string, on []net.Conn) []net.Conn {
	c, err := net.Dial("tcp", to)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(c, "hello")
	return append(on, c)
}

func night(talks bool) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go (&hotline{l}).answer()
	var on []net.Conn
	for i := 0; i < 60; i++ {
		on = ring(l.Addr().String(), on)
		time.Sleep(4 * time.Millisecond)
		for k := 0; talks && k < len(on); k++ {
			if (i+k)%6 == 0 {
				fmt.Fprintln(on[k], "and")
			}
		}
	}
	l.Close()
}

func main() {
	traced(os.Args[1], func() { night(false) })
	if len(os.Args) > 2 {
		traced(os.Args[2], func() { night(true) })
	}
}
