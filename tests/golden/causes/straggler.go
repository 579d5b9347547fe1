// straggler TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

func slice(i, round int) {
	if i == 5 {
		resample(round)
	} else {
		burn(600 * time.Microsecond)
	}
}
func resample(round int) { burn(6 * time.Millisecond) }
func epoch(round int) {
	var wg sync.WaitGroup
	for i := 0; i < 6; i++ {
		wg.Add(1)
		go func(i int) { defer wg.Done(); slice(i, round) }(i)
	}
	wg.Wait()
}
func main() {
	runtime.GOMAXPROCS(6)
	traced(os.Args[1], func() {
		for r := 0; r < 70; r++ {
			epoch(r)
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

func burn(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
