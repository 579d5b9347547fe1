// onebyone TRACE: writes the trace that tests/unit/test_causes.c reads. Thumbnails, each made by a goroutine of its own, with
// a limit on how many at a time that somebody set to one.
package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

type crew struct {
	free chan struct{}
	wg   sync.WaitGroup
}

func (c *crew) start(job func()) {
	c.free <- struct{}{}
	c.wg.Add(1)
	go func() {
		defer func() { <-c.free; c.wg.Done() }()
		job()
	}()
}

func makeThumb(n int) {
	time.Sleep(time.Duration(1+n%3) * time.Millisecond) // a tool that answers late
}

func makeAll(pictures int) {
	c := &crew{free: make(chan struct{}, 1)}
	for i := 0; i < pictures; i++ {
		c.start(func() { makeThumb(i) })
	}
	c.wg.Wait()
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	makeAll(40)
	trace.Stop()
}
