// ragman TRACE: writes the trace that tests/unit/test_causes.c reads: each load begins a collection in a goroutine of its own. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

var yard [][]byte

func haul(n int) {
	for i := 0; i < 30; i++ {
		yard[(n*30+i)%len(yard)] = make([]byte, 30000)
	}
	go runtime.GC()
	for s := time.Now(); time.Since(s) < 4*time.Millisecond; {
	}
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	yard = make([][]byte, 1200)
	trace.Start(f)
	for n := 0; n < 10; n++ {
		haul(n)
	}
	trace.Stop()
	f.Close()
}
