// tumblers TRACE: writes the trace that tests/unit/test_causes.c reads: each line that is not understood panics, far down, and is recovered
// far up: nearly all that runs is the unwinding. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"time"
)

func parse(line string, depth int) int {
	if depth > 0 {
		return parse(line[1:], depth-1) + 1
	}
	if strings.HasPrefix(line, "?") {
		panic("not understood")
	}
	return len(line)
}

func tolerant(line string) (n int) {
	defer func() {
		if recover() != nil {
			n = -1
		}
	}()
	return parse(line, 60)
}

func read(until time.Time, wg *sync.WaitGroup) {
	defer wg.Done()
	line := strings.Repeat("?", 80)
	for time.Now().Before(until) {
		tolerant(line)
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	wg.Add(3)
	for i := 0; i < 3; i++ {
		go read(time.Now().Add(400*time.Millisecond), &wg)
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
