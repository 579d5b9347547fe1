// sieve TRACE: writes the trace that tests/unit/test_causes.c reads: who takes from a select never rests, for there is always more for it. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
)

func dig(out chan<- uint32, n int) {
	for x := uint32(1); n > 0; n-- {
		x = x*1664525 + 1013904223
		out <- x
	}
	close(out)
}

func sieve(in <-chan uint32, stop <-chan struct{}, done chan<- uint32) {
	var gold uint32
	for {
		select {
		case x, more := <-in:
			if !more {
				done <- gold
				return
			}
			gold += x & 1
		case <-stop:
			return
		}
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
	in, done := make(chan uint32, 1<<20), make(chan uint32)
	go dig(in, 2500000)
	go sieve(in, make(chan struct{}), done)
	<-done
	trace.Stop()
	if err := f.Close(); err != nil {
		panic(err)
	}
}
