// engraver TRACE: writes the trace that tests/unit/test_causes.c reads: one goroutine is in a call that can't be interrupted, for 30 ms each time. Built with -trimpath.
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

func engrave() {
	block := [1]uint64{1 << (uint(syscall.SIGURG) - 1)}
	ts := syscall.NsecToTimespec(int64(30 * time.Millisecond))
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 0, uintptr(unsafe.Pointer(&block)), 0, 8, 0, 0)
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 1, uintptr(unsafe.Pointer(&block)), 0, 8, 0, 0)
}

func workshop() {
	for i := 0; i < 12; i++ {
		engrave()
		time.Sleep(2 * time.Millisecond)
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
	var wg sync.WaitGroup
	wg.Add(3)
	go func() { defer wg.Done(); workshop() }()
	for k := 0; k < 2; k++ {
		go func() {
			defer wg.Done()
			for i := 0; i < 100; i++ {
				burn(3 * time.Millisecond)
				time.Sleep(500 * time.Microsecond)
			}
		}()
	}
	wg.Wait()
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
