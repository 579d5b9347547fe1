// gauger TRACE: writes the trace that tests/unit/test_causes.c reads: the heap is measured once at the beginning, then for each barrel. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func gauge() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func fill() {
	for i := 0; i < 150; i++ {
		for s := time.Now(); time.Since(s) < 20*time.Microsecond; {
		}
		gauge()
	}
}

func open() uint64 { return gauge() }

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	trace.Start(f)
	open()
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); fill() }()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
