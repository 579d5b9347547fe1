// coatrack TRACE: writes the trace that tests/unit/test_causes_won.c reads: 120 guests want their coats from one hook at once, for the last
// part of the evening. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type hook struct{ mu sync.Mutex }

func (h *hook) fetch() {
	h.mu.Lock()
	compute(50 * time.Microsecond)
	h.mu.Unlock()
}
func compute(d time.Duration) {
	for t := time.Now(); time.Since(t) < d; {
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		compute(30 * time.Millisecond)
		var h hook
		var w sync.WaitGroup
		h.mu.Lock()
		for range 120 {
			w.Add(1)
			go func() {
				defer w.Done()
				h.fetch()
			}()
		}
		time.Sleep(time.Millisecond)
		h.mu.Unlock()
		w.Wait()
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
	f.Close()
}
