// cleansplit TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// A recursion: each level begins the next one and does its own part meanwhile, of which there is less and less.
var share = []time.Duration{1, 2, 3, 60, 0, 0}

func split(n int) {
	if n == 0 {
		return
	}
	var wg sync.WaitGroup
	wg.Add(1)
	go part(&wg, n-1)
	busy(share[n-1] * time.Millisecond)
	wg.Wait()
}

func part(wg *sync.WaitGroup, n int) {
	defer wg.Done()
	split(n)
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() { split(6) })
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
