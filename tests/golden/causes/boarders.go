// boarders TRACE: writes the trace that tests/unit/test_causes.c reads: each boarder has an errand boy who is told nothing when the boarder leaves. Built with -trimpath.
package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

type bell struct {
	mu    sync.Mutex
	rung  *sync.Cond
	calls int
	gone  bool
}

func (b *bell) await() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.calls == 0 && !b.gone {
		b.rung.Wait()
	}
	b.calls--
	return !b.gone
}

func (b *bell) ring() {
	b.mu.Lock()
	b.calls++
	b.mu.Unlock()
	b.rung.Signal()
}

func run(b *bell) {
	for b.await() {
		time.Sleep(50 * time.Microsecond)
	}
}

// The boarder forgets to say that nobody rings any more.
func board() {
	b := &bell{}
	b.rung = sync.NewCond(&b.mu)
	go run(b)
	for i := 0; i < 4; i++ {
		time.Sleep(200 * time.Microsecond)
		b.ring()
	}
}

func main() {
	traced(func() {
		var all sync.WaitGroup
		for i := 0; i < 120; i++ {
			all.Add(1)
			go func() {
				defer all.Done()
				board()
			}()
			time.Sleep(1500 * time.Microsecond)
		}
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
