// telegraph TRACE: writes the trace that tests/unit/test_causes.c reads: each question is written in two pieces over a connection that
// keeps the second back until the first is acknowledged (SetNoDelay(false)). Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/trace"
)

func answer(l net.Listener) {
	c, err := l.Accept()
	if err != nil {
		return
	}
	for r := bufio.NewReader(c); ; {
		if _, err := r.ReadString('.'); err != nil {
			return
		}
		fmt.Fprintln(c, "STOP")
	}
}

func wire(c net.Conn, r *bufio.Reader) {
	fmt.Fprint(c, "HOW ARE YOU ")
	fmt.Fprint(c, "STOP.")
	r.ReadString('\n')
}

func main() {
	runtime.GOMAXPROCS(2)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go answer(l)
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	c.(*net.TCPConn).SetNoDelay(false)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	r := bufio.NewReader(c)
	for range 40 {
		wire(c, r)
	}
	trace.Stop()
	f.Close()
}
