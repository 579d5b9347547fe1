// inbox TRACE: writes the trace that tests/unit/test_causes.c reads: letters come faster than one goroutine hands them on, so they queue. Built with -trimpath.
package main

import (
	"context"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
)

type letter struct {
	task *trace.Task
	ctx  context.Context
}

func end(fd int) net.Conn {
	f := os.NewFile(uintptr(fd), "end")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		panic(err)
	}
	return c
}

func handOn(c net.Conn, l letter) {
	b := []byte{1}
	c.Write(b)
	c.Read(b)
	l.task.End()
}

func deliver(c net.Conn, in chan letter, done chan bool) {
	for l := range in {
		handOn(c, l)
	}
	close(done)
}

func answer(fd int) {
	runtime.LockOSThread()
	b := []byte{1}
	for {
		if n, err := syscall.Read(fd, b); n != 1 || err != nil {
			return
		}
		time.Sleep(2 * time.Millisecond)
		syscall.Write(fd, b)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		panic(err)
	}
	go answer(fds[1])
	c := end(fds[0])
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	in, done := make(chan letter, 100), make(chan bool)
	go deliver(c, in, done)
	for i := 0; i < 64; i++ {
		ctx, t := trace.NewTask(context.Background(), "letter")
		in <- letter{t, ctx}
		time.Sleep(500 * time.Microsecond)
	}
	close(in)
	<-done
	trace.Stop()
	f.Close()
}
