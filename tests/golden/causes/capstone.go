// capstone TRACE: writes the trace that tests/unit/test_causes.c reads: six masons take their stones from one cart, and the largest lies at the
// bottom. Who gets it is at work on it when all others have gone home. Built with -trimpath.
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

func hew(size time.Duration) { busy(size) }

func mason(cart <-chan time.Duration) {
	for stone := range cart {
		hew(stone)
	}
}

func build(stones []time.Duration) {
	cart := make(chan time.Duration)
	var masons sync.WaitGroup
	for i := 0; i < 6; i++ {
		masons.Add(1)
		go func() { defer masons.Done(); mason(cart) }()
	}
	for _, s := range stones {
		cart <- s
	}
	close(cart)
	masons.Wait()
}

func main() {
	runtime.GOMAXPROCS(8)
	var stones []time.Duration
	for i := 0; i < 60; i++ {
		stones = append(stones, 8*time.Millisecond)
	}
	stones = append(stones, 90*time.Millisecond)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	build(stones)
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
