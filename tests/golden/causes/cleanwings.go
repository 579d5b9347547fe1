// cleanwings TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

// For each flight all of its parts are looked at side by side, each by a goroutine of its own, and it waits for the last.
func rudder()  { time.Sleep(2 * time.Millisecond) }
func flaps()   { time.Sleep(2 * time.Millisecond) }
func engines() { time.Sleep(4 * time.Millisecond) }
func wheels()  { time.Sleep(1 * time.Millisecond) }

func check() {
	var wg sync.WaitGroup
	wg.Go(rudder)
	wg.Go(flaps)
	wg.Go(engines)
	wg.Go(wheels)
	wg.Wait()
	busy(200 * time.Microsecond)
}

func main() {
	runtime.GOMAXPROCS(6)
	traced(func() {
		for i := 0; i < 40; i++ {
			check()
		}
	})
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
