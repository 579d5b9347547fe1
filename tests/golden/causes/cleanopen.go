// cleanopen TRACE: writes the trace that tests/unit/test_causes.c reads. A pace: one begun each 2 ms, now and then before the
// one before is over.
package main

import (
	"os"
	"runtime/trace"
	"sync"
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

func serve(n int) {
	if n%8 == 7 {
		time.Sleep(5 * time.Millisecond)
		return
	}
	time.Sleep(time.Millisecond)
}

func main() {
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for n := 0; n < 60; n++ {
			wg.Add(1)
			go func() { defer wg.Done(); serve(n) }()
			time.Sleep(2 * time.Millisecond)
		}
		wg.Wait()
	})
}
