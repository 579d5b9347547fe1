// twoquills TRACE: writes the trace that tests/unit/test_causes.c reads: letters are written to one who answers each before it takes the next, and nobody reads the answers, until a limit is up. Built with -trimpath.
package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"time"
)

func clerk(l net.Listener) { // a process of its own: answers each letter before it takes the next
	for {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		go func() {
			for i, letter := 0, make([]byte, 32<<10); i < 12; i++ {
				io.ReadFull(c, letter)
				time.Sleep(time.Millisecond)
			}
			io.Copy(c, c)
			time.Sleep(time.Second)
			os.Exit(0)
		}()
	}
}

func post(c net.Conn) error {
	letter := make([]byte, 32<<10)
	for i := 0; i < 60; i++ {
		if _, err := c.Write(letter); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	runtime.GOMAXPROCS(4)
	if len(os.Args) > 2 {
		l, err := net.FileListener(os.NewFile(3, "clerk"))
		if err != nil {
			panic(err)
		}
		clerk(l)
	}
	l, err := net.Listen("unix", "@twoquills")
	if err != nil {
		panic(err)
	}
	lf, _ := l.(*net.UnixListener).File()
	out := exec.Command(os.Args[0], os.Args[1], "clerk")
	out.ExtraFiles = []*os.File{lf}
	if err := out.Start(); err != nil {
		panic(err)
	}
	traced(os.Args[1], func() {
		for i := 0; i < 3; i++ {
			c, err := net.Dial("unix", l.Addr().String())
			if err != nil {
				panic(err)
			}
				c.SetDeadline(time.Now().Add(90 * time.Millisecond))
			post(c)
			defer c.Close()
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
