// chapters TRACE: writes the trace that tests/unit/test_causes.c reads: three binders each begin a goroutine for a chapter and wait for it, by a helper, before they begin the next. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type hands struct{ wg sync.WaitGroup }

func (h *hands) give(f func()) {
	h.wg.Add(1)
	go func() {
		defer h.wg.Done()
		f()
	}()
}

func (h *hands) wait() { h.wg.Wait() }

func bind(chapters int) {
	var h hands
	for i := 0; i < chapters; i++ {
		h.give(func() { time.Sleep(time.Millisecond) })
		h.wait()
	}
}

func binder(orders <-chan int, done *sync.WaitGroup) {
	defer done.Done()
	for n := range orders {
		bind(n)
		time.Sleep(500 * time.Microsecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		orders := make(chan int)
		var done sync.WaitGroup
		for i := 0; i < 3; i++ {
			done.Add(1)
			go binder(orders, &done)
		}
		for i := 0; i < 18; i++ {
			orders <- 7
		}
		close(orders)
		done.Wait()
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
