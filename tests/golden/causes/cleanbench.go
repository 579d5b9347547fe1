// cleanbench TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

// A measurement: rounds of one goroutine's work, a collection asked for before each.
var kept [][]byte

func round() {
	for i := 0; i < 200; i++ {
		kept[i] = make([]byte, 4096)
	}
	busy(9 * time.Millisecond)
}

func measure(n int) {
	for i := 0; i < n; i++ {
		runtime.GC()
		round()
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	kept = make([][]byte, 4000)
	for i := range kept {
		kept[i] = make([]byte, 4096)
	}
	traced(func() { measure(2) })
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
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

// busy keeps the P for d without the processor.
func busy(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
