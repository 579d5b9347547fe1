// bellfounder TRACE: writes the trace that tests/unit/test_causes_said.c reads: benchmarks, before each run of which package testing collects.
// Built with -trimpath.
package main

import (
	"flag"
	"os"
	"runtime"
	"runtime/trace"
	"testing"
	"time"
)

var (
	score [][]*int
	bar   int
)

func tick(b *testing.B) {
	for range b.N {
		for t := time.Now(); time.Since(t) < 20*time.Microsecond; {
		}
	}
}
func main() {
	runtime.GOMAXPROCS(1)
	testing.Init()
	flag.Set("test.benchtime", "5x")
	for range 8 {
		bars := make([]*int, 200000)
		for i := range bars {
			bars[i] = &bar
		}
		score = append(score, bars)
	}
	traced(os.Args[1], func() {
		for range 4 {
			testing.Benchmark(tick)
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
