// bobbins TRACE: writes the trace that tests/unit/test_causes.c reads: each seam pulls three stitches from a sequence and leaves it
// without calling stop. Built with -trimpath.
package main

import (
	"iter"
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

func thread(yield func(int) bool) {
	runtime.Gosched() // a trace names it by that
	for i := 0; yield(i); i++ {
	}
}

func sew() (sum int) {
	next, _ := iter.Pull(thread)
	for k := 0; k < 3; k++ {
		v, _ := next()
		sum += v
	}
	return sum
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
	for end := time.Now().Add(120 * time.Millisecond); time.Now().Before(end); {
		sew()
		time.Sleep(3 * time.Millisecond)
	}
	trace.Stop()
	f.Close()
}
