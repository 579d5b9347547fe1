// grinders TRACE: writes the trace that tests/unit/test_causes.c reads: goroutines that begin in one function each do something else, all
// the time: what is said of one of these is not said of the others. Built with -trimpath.
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

// nap keeps the processor busy, as a calculation does.
func nap(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

//go:noinline
func grind(until time.Time) {
	for time.Now().Before(until) {
		nap(300 * time.Microsecond)
	}
}

//go:noinline
func sift(until time.Time) {
	for time.Now().Before(until) {
		nap(300 * time.Microsecond)
	}
}

func begin(work func(time.Time), until time.Time, wg *sync.WaitGroup) {
	defer wg.Done()
	work(until)
}

func main() {
	runtime.GOMAXPROCS(8)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	wg.Add(4)
	for _, work := range []func(time.Time){grind, grind, grind, sift} {
		until := time.Now().Add(300 * time.Millisecond)
		go begin(work, until, &wg)
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
