// cleanfeeder TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

// One hands work to three, whoever is free. Once all three have long work, and it waits for the one that happens to be done first.
func work(in chan int) {
	for i := range in {
		if i >= 3 && i < 6 {
			busy(40 * time.Millisecond)
		} else {
			busy(time.Duration(1500+i*7%5*300) * time.Microsecond)
		}
	}
}

func feed(in chan int) {
	for i := 0; i < 60; i++ {
		in <- i
	}
	close(in)
}

func main() {
	runtime.GOMAXPROCS(6)
	traced(func() {
		in := make(chan int)
		var wg sync.WaitGroup
		for i := 0; i < 3; i++ {
			wg.Add(1)
			go func() { defer wg.Done(); work(in) }()
		}
		feed(in)
		wg.Wait()
	})
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
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

// busy keeps the P for d without the processor.
func busy(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
