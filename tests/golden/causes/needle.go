// needle TRACE: writes the trace that tests/unit/test_causes.c reads: each stitch is pulled from a coroutine by itself. Go 1.23 and later; built
// with -trimpath; the trace is compressed (gzip -9).
package main

import (
	"iter"
	"os"
	"runtime"
	"runtime/trace"
)

func stitches(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func sew(n int) (sum int) {
	next, stop := iter.Pull(stitches(n))
	defer stop()
	for v, ok := next(); ok; v, ok = next() {
		sum += v
	}
	return sum
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		done := make(chan int)
		go func() {
			sum := 0
			for i := 0; i < 4; i++ {
				sum += sew(1000)
			}
			done <- sum
		}()
		<-done
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
