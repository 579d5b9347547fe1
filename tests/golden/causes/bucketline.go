// bucketline TRACE: writes the trace that tests/unit/test_causes.c reads: three goroutines in a row hand on each drop by itself. Built with
// -trimpath; the trace is compressed (gzip -9).
package main

import (
	"os"
	"runtime"
	"runtime/trace"
)

func draw(n int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := 0; i < n; i++ {
			out <- i
		}
	}()
	return out
}

func passOn(in <-chan int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for v := range in {
			out <- v + 1
		}
	}()
	return out
}

var all int

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		for v := range passOn(passOn(draw(1700))) {
			all += v
		}
	})
}

func traced(path string, work func()) {
	f, err := os.Create(path)
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
