// banquet TRACE: writes the trace that tests/unit/test_causes.c reads: six courses are made side by side, and one of them waits for the oven that a baker keeps. Built with -trimpath.
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

var oven sync.Mutex

func bake() { oven.Lock(); burn(4 * time.Millisecond); oven.Unlock() }
func course(i int) {
	if i == 3 {
		oven.Lock()
		oven.Unlock()
	}
	burn(time.Duration(200+40*i) * time.Microsecond)
}
func serveTable() {
	var wg sync.WaitGroup
	for i := 0; i < 6; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); course(i) }()
	}
	wg.Wait()
}
func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		go func() {
			for {
				bake()
				time.Sleep(100 * time.Microsecond)
			}
		}()
		for i := 0; i < 24; i++ {
			serveTable()
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
