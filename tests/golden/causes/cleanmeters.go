// cleanmeters TRACE: writes the trace that tests/unit/test_causes.c reads: a meter for each lodger gives a penny's gas at every stroke of its
// ticker, on a host whose clock wakes at whole milliseconds. Built with -trimpath.
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

func meter(gas chan<- struct{}) {
	for range time.NewTicker(2 * time.Millisecond).C {
		gas <- struct{}{}
	}
}

func lodger(pennies int) {
	gas := make(chan struct{})
	go meter(gas)
	for ; pennies > 0; pennies-- {
		<-gas
		busy(200 * time.Microsecond)
	}
}

func main() {
	runtime.GOMAXPROCS(8)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var lodgers sync.WaitGroup
	for i := 0; i < 6; i++ {
		lodgers.Add(1)
		go func() { defer lodgers.Done(); lodger(60) }()
	}
	lodgers.Wait()
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
