// shepherds TRACE: writes the trace that tests/unit/test_causes.c reads: two shepherds shear the sheep that the dog brings, and one of them dozes
// 5 ms after each. Built with -trimpath.
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

func shear() { busy(300 * time.Microsecond) }

func doze(d time.Duration) {
	if d > 0 {
		time.Sleep(d)
	}
}

func shepherd(sheep <-chan int, tired time.Duration) {
	for range sheep {
		shear()
		doze(tired)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	sheep := make(chan int)
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func(tired time.Duration) {
			defer wg.Done()
			shepherd(sheep, tired)
		}(time.Duration(i) * 5 * time.Millisecond)
	}
	for i := 0; i < 250; i++ {
		sheep <- i
	}
	close(sheep)
	wg.Wait()
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
