// cleansieves TRACE: writes the trace that tests/unit/test_causes.c reads: sieves in a row, each of which lets through what it may and drops the
// rest. None has anything of a set that others wait for. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
)

func pour(out chan<- int, over <-chan bool) {
	for i := 2; ; i++ {
		select {
		case out <- i:
		case <-over:
			return
		}
	}
}

func sieve(prime int, in <-chan int, out chan<- int, over <-chan bool) {
	for {
		select {
		case i := <-in:
			if i%prime == 0 {
				continue
			}
			select {
			case out <- i:
			case <-over:
				return
			}
		case <-over:
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
	over := make(chan bool)
	in := make(chan int)
	go pour(in, over)
	for i := 0; i < 40; i++ {
		prime := <-in
		out := make(chan int)
		go sieve(prime, in, out, over)
		in = out
	}
	close(over)
	trace.Stop()
	f.Close()
}
