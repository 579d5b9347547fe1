// dairy TRACE: writes the trace that tests/unit/test_causes.c reads: who brings several churns rings once, and only if none stood there; a foreman wakes all now and then. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type dairy struct {
	mu      sync.Mutex
	brought *sync.Cond
	churns  int
	closed  bool
}

func (d *dairy) bring(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := 0; i < n; i++ {
		d.churns++
		if d.churns == 1 {
			d.brought.Signal()
		}
	}
}

func (d *dairy) take() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.churns == 0 && !d.closed {
		d.brought.Wait()
	}
	d.churns--
	return !d.closed
}

func (d *dairy) foreman(every time.Duration) {
	for {
		time.Sleep(every)
		d.brought.Broadcast()
	}
}

func (d *dairy) churn(all *sync.WaitGroup) {
	defer all.Done()
	for d.take() {
		time.Sleep(3 * time.Millisecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	d := &dairy{}
	d.brought = sync.NewCond(&d.mu)
	go d.foreman(13 * time.Millisecond)
	traced(func() {
		var all sync.WaitGroup
		for i := 0; i < 5; i++ {
			all.Add(1)
			go d.churn(&all)
		}
		for i := 0; i < 20; i++ {
			time.Sleep(12 * time.Millisecond)
			d.bring(4)
		}
		d.mu.Lock()
		d.closed = true
		d.mu.Unlock()
		d.brought.Broadcast()
		all.Wait()
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
