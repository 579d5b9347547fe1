package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/trace"
	"time"
)

var keep [][]byte

//go:noinline
func first() { runtime.GC(); time.Sleep(time.Millisecond) }

//go:noinline
func second() { runtime.GC(); time.Sleep(time.Millisecond) }

//go:noinline
func third() { debug.FreeOSMemory() }

func main() {
	for i := 0; i < 20; i++ {
		keep = append(keep, make([]byte, 8192))
	}
	f, _ := os.Create(os.Args[1])
	trace.Start(f)
	for i := 0; i < 6; i++ {
		first()
		second()
		if i%3 == 0 {
			third()
		}
	}
	trace.Stop()
	f.Close()
}
