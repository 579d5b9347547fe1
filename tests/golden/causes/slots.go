// slots TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

var sem = make(chan struct{}, 2)

func convert(i int)   { sem <- struct{}{}; defer func() { <-sem }(); transcode(i) }
func transcode(i int) { burn(1500 * time.Microsecond) }
func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for h := 0; h < 12; h++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 40; i++ {
					convert(i)
					burn(100 * time.Microsecond)
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
