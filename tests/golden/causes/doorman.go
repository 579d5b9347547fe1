// doorman TRACE: writes the trace that tests/unit/test_causes.c reads: at closing time one of four guests is told. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type bar struct {
	mu     sync.Mutex
	cond   *sync.Cond
	drinks int
	closed bool
}

func (b *bar) order() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.drinks == 0 && !b.closed {
		b.cond.Wait()
	}
	if b.drinks > 0 {
		b.drinks--
		return true
	}
	return false
}
func (b *bar) pour() {
	b.mu.Lock()
	b.drinks++
	b.mu.Unlock()
	b.cond.Signal()
}
func (b *bar) shut() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.cond.Signal()
}
func evening() {
	b := &bar{}
	b.cond = sync.NewCond(&b.mu)
	for range 4 {
		go func() {
			for b.order() {
			}
		}()
	}
	for range 6 {
		b.pour()
		time.Sleep(100 * time.Microsecond)
	}
	time.Sleep(time.Millisecond)
	b.shut()
}
func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		for range 30 {
			evening()
			time.Sleep(2 * time.Millisecond)
		}
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
