// hourglass TRACE: writes the trace that tests/unit/test_causes.c reads: a wait with a limit of its own each time: up to Go 1.22 the timers
// stay until they fire, a minute later, and the heap grows by them. Built with -trimpath.
package main

import (
	"os"
	"runtime/trace"
	"time"
)

func next(in <-chan []byte) []byte {
	select {
	case m := <-in:
		return m
	case <-time.After(time.Minute):
		return nil
	}
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	in := make(chan []byte, 256)
	for sent := 0; sent < 90000; sent += 256 {
		for i := 0; i < 256; i++ {
			in <- make([]byte, 48)
		}
		for i := 0; i < 256; i++ {
			next(in)
		}
		time.Sleep(10 * time.Microsecond)
	}
	trace.Stop()
	f.Close()
}
