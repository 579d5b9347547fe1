// metronome TRACE: writes the trace that tests/unit/test_causes.c reads: a hundred players wake at the same moments, queue, and all rest in between. Built with -trimpath.
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

func play(begin time.Time, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 1; i < 6; i++ {
		time.Sleep(time.Until(begin.Add(time.Duration(i) * 40 * time.Millisecond)))
		burn(500 * time.Microsecond)
	}
}
func main() {
	runtime.GOMAXPROCS(3)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		begin := time.Now()
		for i := 0; i < 100; i++ {
			wg.Add(1)
			go play(begin, &wg)
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
