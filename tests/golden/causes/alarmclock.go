// alarmclock TRACE: writes the trace that tests/unit/test_causes.c reads: each call of touch has a timer of its own, which begins a goroutine. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type clock struct {
	mu sync.Mutex
	n  int
}

func (c *clock) touch() {
	time.AfterFunc(2*time.Millisecond, func() { c.mu.Lock(); c.n++; c.mu.Unlock() })
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	c := &clock{}
	for i := 0; i < 60; i++ {
		for k := 0; k < 30; k++ {
			c.touch()
		}
		time.Sleep(time.Millisecond)
	}
	trace.Stop()
	f.Close()
}
