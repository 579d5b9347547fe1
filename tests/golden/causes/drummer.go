// drummer TRACE: writes the trace that tests/unit/test_causes.c reads: a drummer beats while they row, and hears only behind a beat that they are there. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

func beat(there *atomic.Bool) {
	for !there.Load() {
		time.Sleep(20 * time.Millisecond)
	}
}

func row(strokes int) {
	for i := 0; i < strokes; i++ {
		time.Sleep(time.Millisecond)
	}
}

func cross(rowers int) {
	var there atomic.Bool
	var all, drum sync.WaitGroup
	drum.Add(1)
	go func() {
		defer drum.Done()
		beat(&there)
	}()
	for i := 0; i < rowers; i++ {
		all.Add(1)
		go func(strokes int) {
			defer all.Done()
			row(strokes)
		}(5 + i)
	}
	all.Wait()
	there.Store(true)
	drum.Wait()
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		for i := 0; i < 6; i++ {
			cross(4)
		}
	})
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
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
