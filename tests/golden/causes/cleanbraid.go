// cleanbraid TRACE: writes the trace that tests/unit/test_causes.c reads: a strand more every 8 ms, and all of them are pulled from in turn until
// the end. Nobody has left one. Built with -trimpath.
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

func main() {
	runtime.GOMAXPROCS(2)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var strands []func() (int, bool)
	for i := 0; i < 64; i++ {
		if i%4 == 0 {
			next, _ := iter.Pull(thread)
			strands = append(strands, next)
		}
		for _, next := range strands {
			next()
		}
		time.Sleep(2 * time.Millisecond)
	}
	trace.Stop()
	f.Close()
}
