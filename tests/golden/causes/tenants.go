// tenants TRACE: writes the trace that tests/unit/test_causes.c reads: who moves out by the back door is never closed. Built with -trimpath.
package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

type session struct {
	in   chan int
	done chan struct{}
}

var sum struct {
	sync.Mutex
	n int
}

func (s *session) serve() {
	for {
		select {
		case v := <-s.in:
			sum.Lock()
			sum.n += v
			sum.Unlock()
		case <-s.done:
			return
		}
	}
}

func visit(i int) {
	s := &session{make(chan int), make(chan struct{})}
	go s.serve()
	for k := 0; k < 5; k++ {
		time.Sleep(2 * time.Millisecond)
		s.in <- k
	}
	if i%9 == 4 {
		return
	}
	close(s.done)
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	trace.Start(f)
	var wg sync.WaitGroup
	for i := 0; i < 160; i++ {
		wg.Add(1)
		go func(i int) { defer wg.Done(); visit(i) }(i)
		time.Sleep(5 * time.Millisecond)
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
