// cleanshops TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

// Five shops with a clerk each: one has most of the customers, and time to spare.
func clerk(in chan int) {
	for range in {
		busy(1500 * time.Microsecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		var wg sync.WaitGroup
		var shop []chan int
		for i := 0; i < 5; i++ {
			c := make(chan int, 64)
			shop = append(shop, c)
			wg.Add(1)
			go func() { defer wg.Done(); clerk(c) }()
		}
		for n := 0; n < 80; n++ {
			time.Sleep(4 * time.Millisecond)
			shop[0] <- n
			if n%8 == 0 {
				shop[1+n/8%4] <- n
			}
		}
		for _, c := range shop {
			close(c)
		}
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
