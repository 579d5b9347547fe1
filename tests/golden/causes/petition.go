// petition TRACE: writes the trace that tests/unit/test_causes.c reads: what is refused is tried three times, and that three times again, by one function. Built with -trimpath.
package main

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"time"
)

func office(l net.Listener) { // a process of its own
	for {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		go func() {
			for b := make([]byte, 1); ; {
				if _, err := io.ReadFull(c, b); err != nil {
					os.Exit(0)
				}
				time.Sleep(600 * time.Microsecond)
				c.Write(b)
			}
		}()
	}
}

var refused = errors.New("refused")

func again(times int, f func() error) (err error) {
	for i := 0; i < times; i++ {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}

func ask(c net.Conn) error {
	c.Write([]byte("x"))
	io.ReadFull(c, make([]byte, 1))
	return refused
}

func order(c net.Conn) error { return again(3, func() error { return ask(c) }) }

func fetch(c net.Conn) error { return again(3, func() error { return order(c) }) }

func main() {
	runtime.GOMAXPROCS(4)
	if len(os.Args) > 2 {
		l, err := net.FileListener(os.NewFile(3, "office"))
		if err != nil {
			panic(err)
		}
		office(l)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	lf, _ := l.(*net.TCPListener).File()
	out := exec.Command(os.Args[0], os.Args[1], "office")
	out.ExtraFiles = []*os.File{lf}
	if err := out.Start(); err != nil {
		panic(err)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	traced(os.Args[1], func() {
		for i := 0; i < 10; i++ {
			fetch(c)
			time.Sleep(time.Millisecond)
		}
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
	if err := f.Close(); err != nil {
		panic(err)
	}
}
