// campanile TRACE: writes the trace that tests/unit/test_causes.c reads: a call that blocks, as one to C may, is made with a lock held. Traces of Go 1.21
// do not tell how long it lasts while it keeps its processor.
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

type bell struct{ mu sync.Mutex }

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	strike()
}

func strike() {
	ts := syscall.NsecToTimespec(1200000)
	syscall.Syscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

func main() {
	runtime.GOMAXPROCS(8)
	var b bell
	traced(func() {
		sideBySide(7, func(int) {
			for k := 0; k < 20; k++ {
				b.ring()
				compute(500 * time.Microsecond)
			}
		})
	})
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
