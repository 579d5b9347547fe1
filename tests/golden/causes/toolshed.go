// toolshed TRACE: writes the trace that tests/unit/test_causes.c reads. Eight smiths share two tongs; most go home half way.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type shed struct {
	mu   sync.Mutex
	cond *sync.Cond
	free int
}

func (s *shed) borrow() {
	s.mu.Lock()
	for s.free == 0 {
		s.cond.Wait()
	}
	s.free--
	s.mu.Unlock()
}

func (s *shed) giveBack() {
	s.mu.Lock()
	s.free++
	s.mu.Unlock()
	s.cond.Signal()
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	runtime.GOMAXPROCS(6)
	s := &shed{free: 2}
	s.cond = sync.NewCond(&s.mu)
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			for n := 0; n < 8; n++ {
				s.borrow()
				time.Sleep(1500 * time.Microsecond)
				s.giveBack()
			}
			time.Sleep(70 * time.Millisecond)
		}(i)
	}
	wg.Wait()
	trace.Stop()
}
