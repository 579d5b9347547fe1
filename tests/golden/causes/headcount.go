// headcount TRACE: writes the trace that tests/unit/test_causes.c reads: a counter is begun for each sheep, and all of them want the one slate.
// Built with -trimpath.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
)

type slate struct {
	mu sync.Mutex
	n  map[string]int
}

func (s *slate) mark(sheep string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n[strings.ToLower(sheep)]++
}

func (s *slate) countFlock(flock []string) {
	var wg sync.WaitGroup
	for _, sheep := range flock {
		wg.Add(1)
		go func(sheep string) { defer wg.Done(); s.mark(sheep) }(sheep)
	}
	wg.Wait()
}

func main() {
	runtime.GOMAXPROCS(4)
	var flock []string
	for i := 0; i < 1500; i++ {
		flock = append(flock, fmt.Sprint("Sheep", i%90))
	}
	s := &slate{n: map[string]int{}}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	for day := 0; day < 3; day++ {
		s.countFlock(flock)
	}
	trace.Stop()
	f.Close()
}
