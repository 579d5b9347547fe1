// almanac TRACE: writes the trace that tests/unit/test_causes.c reads: seven look things up all the time, and each 60 ms all that is kept
// runs out at the same moment. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type almanac struct {
	mu    sync.Mutex
	since [24]time.Duration
	begin time.Time
	slots chan struct{}
}

func (a *almanac) fetch() {
	a.slots <- struct{}{}
	time.Sleep(2 * time.Millisecond)
	<-a.slots
}

func (a *almanac) look(k int) {
	now := time.Since(a.begin).Truncate(60 * time.Millisecond)
	a.mu.Lock()
	old := a.since[k] != now+1
	a.since[k] = now + 1
	a.mu.Unlock()
	if old {
		a.fetch()
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	a := &almanac{begin: time.Now(), slots: make(chan struct{}, 2)}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for i := range 7 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; time.Since(a.begin) < 420*time.Millisecond; k++ {
				a.look((i*5 + k) % 24)
				time.Sleep(time.Duration(400+100*i) * time.Microsecond)
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
