// cleanfull TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"crypto/sha256"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

var sink [32]byte

func main() {
	runtime.GOMAXPROCS(2)
	traced(func() {
		ch := make(chan int)
		var wg sync.WaitGroup
		for k := 0; k < 8; k++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range ch {
					hash(200 + i%7*40)
				}
			}()
		}
		for i := 0; i < 800; i++ {
			ch <- i
		}
		close(ch)
		wg.Wait()
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

// hash calculates n blocks.
func hash(n int) {
	var b [512]byte
	for i := 0; i < n; i++ {
		sink = sha256.Sum256(b[:])
	}
}
