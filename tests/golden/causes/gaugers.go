// gaugers TRACE: writes the trace that tests/unit/test_causes.c reads, with Go 1.21, whose stops of the world have no stack. One
// goroutine reads the memory's figures all the time.
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

var total uint64

func readGauge() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func gauger(until <-chan struct{}) {
	for {
		select {
		case <-until:
			return
		case <-time.After(100 * time.Microsecond):
			total += readGauge()
		}
	}
}

// work keeps its processor, and the host none.
func work() {
	for i := 0; i < 120; i++ {
		pause := syscall.NsecToTimespec(int64(300 * time.Microsecond))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0)
		runtime.Gosched()
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
	until := make(chan struct{})
	go gauger(until)
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); work() }()
	}
	wg.Wait()
	close(until)
	trace.Stop()
}
