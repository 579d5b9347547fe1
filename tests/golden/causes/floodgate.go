// floodgate TRACE: writes the trace that tests/unit/test_causes.c reads: what is written to a socket is not read as fast. Built with -trimpath.
package main

import (
	"net"
	"os"
	"runtime/trace"
	"syscall"
	"time"
)

func end(fd int) net.Conn {
	f := os.NewFile(uintptr(fd), "end")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		panic(err)
	}
	return c
}

func pourOut(c net.Conn) {
	b := make([]byte, 256<<10)
	for i := 0; i < 24; i++ {
		c.Write(b)
	}
	c.Close()
}

func main() {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		panic(err)
	}
	out, in := end(fds[0]), end(fds[1])
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	read := make(chan bool)
	go func() {
		b := make([]byte, 512<<10)
		for {
			if _, err := in.Read(b); err != nil {
				break
			}
			time.Sleep(2 * time.Millisecond)
		}
		close(read)
	}()
	pourOut(out)
	<-read
	trace.Stop()
	f.Close()
}
