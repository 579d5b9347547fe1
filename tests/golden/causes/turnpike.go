// turnpike TRACE: writes the trace that tests/unit/test_causes.c reads: a channel of one is held over what takes long. Built with -trimpath.
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

var gate = make(chan struct{}, 1)

func askToll() { time.Sleep(700 * time.Microsecond) }

func pass() {
	gate <- struct{}{}
	defer func() { <-gate }()
	askToll()
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for k := 0; k < 6; k++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 12; i++ {
					pass()
					burn(150 * time.Microsecond)
				}
			}()
		}
		wg.Wait()
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
