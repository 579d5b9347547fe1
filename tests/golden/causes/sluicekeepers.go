// sluicekeepers TRACE: writes the trace that tests/unit/test_causes.c reads: seven goroutines, on eight processors, ask for the lock of one file. Go 1.23.
package main

import (
	"log"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

func main() {
	runtime.GOMAXPROCS(8)
	name := os.TempDir() + "/sluicekeepers.lock"
	defer os.Remove(name)
	traced(func() {
		sideBySide(7, func(int) {
			for k := 0; k < 9; k++ {
				pass(name)
				compute(time.Millisecond)
			}
		})
	})
}

func pass(name string) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0600)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		log.Fatal(err)
	}
	compute(3 * time.Millisecond)
}

func sideBySide(n int, f func(i int)) {
	var w sync.WaitGroup
	for i := 0; i < n; i++ {
		w.Add(1)
		go func(i int) { defer w.Done(); f(i) }(i)
	}
	w.Wait()
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	work()
	trace.Stop()
	f.Close()
}

// compute keeps the P busy for d.
func compute(d time.Duration) {
	for end, left := time.Now().Add(d), d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
