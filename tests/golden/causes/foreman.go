// foreman TRACE: writes the trace that tests/unit/test_causes.c reads: one foreman saws each peg, and two hands that only oil it wait for the
// next; a host that wakes them late has them stand ready, not waiting, for most of their lives. Built with -trimpath, recorded on a busy host; compressed (gzip -9).
package main

import (
	"crypto/sha512"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

func work(wood []byte) {
	sum := sha512.Sum512(wood)
	copy(wood, sum[:])
}

func hand(pegs chan int, wg *sync.WaitGroup) {
	defer wg.Done()
	wood := make([]byte, 2<<10)
	for range pegs {
		work(wood)
	}
}

func foreman(pegs chan int) {
	wood := make([]byte, 32<<10)
	for i := 0; i < 1200; i++ {
		work(wood)
		pegs <- i
	}
	close(pegs)
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	pegs := make(chan int, 16)
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go hand(pegs, &wg)
	}
	foreman(pegs)
	wg.Wait()
	trace.Stop()
	f.Close()
}
