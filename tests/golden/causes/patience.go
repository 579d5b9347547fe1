// patience TRACE: writes the trace that tests/unit/test_causes.c reads. Each third answer never comes, and is waited for until the
// context's time is up.
package main

import (
	"context"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

func askOracle(ctx context.Context, n int) {
	answer := make(chan int, 1)
	go func() {
		if n%3 != 0 {
			time.Sleep(300 * time.Microsecond)
			answer <- n
		}
	}()
	select {
	case <-answer:
	case <-ctx.Done():
	}
}

func pilgrim() {
	for n := 0; n < 12; n++ {
		ctx, cancel := context.WithTimeout(context.Background(), 12*time.Millisecond)
		askOracle(ctx, n)
		cancel()
	}
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for p := 0; p < 4; p++ {
		wg.Add(1)
		go func() { defer wg.Done(); pilgrim() }()
	}
	wg.Wait()
	trace.Stop()
}
