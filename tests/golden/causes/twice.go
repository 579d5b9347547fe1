// twice TRACE: writes the trace that tests/unit/test_causes.c reads. A read lock is taken again by who has it: with a writer in
// between nobody goes on.
package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

type stock struct {
	mu    sync.RWMutex
	piece map[int]int
}

func (s *stock) count(n int) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.piece[n]
}

func (s *stock) sum() (all int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	time.Sleep(time.Millisecond)
	for n := 0; n < 3; n++ {
		all += s.count(n)
	}
	return all
}

func (s *stock) put(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.piece[n]++
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	s := &stock{piece: map[int]int{}}
	for i := 0; i < 4; i++ {
		go func() {
			for {
				s.sum()
			}
		}()
	}
	go func() {
		for n := 0; ; n++ {
			time.Sleep(7 * time.Millisecond)
			s.put(n)
		}
	}()
	time.Sleep(120 * time.Millisecond)
	trace.Stop()
}
