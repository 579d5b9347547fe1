// interpreters TRACE: writes the trace that tests/unit/test_causes.c reads: each reads from the same slow device at two lines of its work:
// what is said of these calls is of both together. Built with -trimpath.
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

// device blocks as a read of it does.
func device() {
	ts := syscall.NsecToTimespec(6000000)
	syscall.Syscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

func translate(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

func page() {
	device()
	translate(200 * time.Microsecond)
	device()
}

func interpreter(wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 8; i++ {
		page()
		translate(300 * time.Microsecond)
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
	for i := 0; i < 6; i++ {
		wg.Add(1)
		go interpreter(&wg)
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
