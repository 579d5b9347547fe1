// librarian TRACE: writes the trace that tests/unit/test_causes.c reads: for each order 40 shelves are looked at. Built with -trimpath.
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

func onShelf(n int) bool {
	_, err := os.Lstat(os.DevNull)
	return err == nil && n%2 == 0
}

func find(order int) int {
	found := 0
	for i := 0; i < 40; i++ {
		if onShelf(order + i) {
			found++
		}
	}
	return found
}

func librarian(orders chan int, wg *sync.WaitGroup) {
	defer wg.Done()
	for o := range orders {
		find(o)
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		orders := make(chan int)
		for i := 0; i < 2; i++ {
			wg.Add(1)
			go librarian(orders, &wg)
		}
		for i := 0; i < 60; i++ {
			orders <- i
			burn(20 * time.Microsecond)
		}
		close(orders)
		wg.Wait()
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
