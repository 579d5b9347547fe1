// tallyman TRACE: writes the trace that tests/unit/test_causes.c reads: each cart is unloaded, and then told item by item to the one who keeps the tally. Built with -trimpath.
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

func tallyman(items chan int, done chan int) {
	sum := 0
	for n := range items {
		sum += n
	}
	done <- sum
}

func unload(items chan int, cart int) {
	burn(150 * time.Microsecond)
	for i := 0; i < 60; i++ {
		items <- cart + i
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		items, done := make(chan int), make(chan int)
		go tallyman(items, done)
		var wg sync.WaitGroup
		for i := 0; i < 6; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for k := 0; k < 14; k++ {
					unload(items, i*100+k)
				}
			}()
		}
		wg.Wait()
		close(items)
		<-done
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
