// pester TRACE: writes the trace that tests/unit/test_causes.c reads. An answer takes 5 ms, each question is given 3 ms and asked again up to
// five times; some answers come at once. Built with -trimpath.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

func askOnce(n, try int) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Millisecond)
	defer cancel()
	answer := make(chan int, 1)
	go func() {
		if (n+try)%3 == 2 {
			time.Sleep(time.Millisecond)
		} else {
			time.Sleep(5 * time.Millisecond)
		}
		answer <- n
	}()
	select {
	case <-answer:
		return true
	case <-ctx.Done():
		return false
	}
}

func pester(n int) {
	for try := 0; try < 5 && !askOnce(n, try); try++ {
	}
}

func child(from int) {
	for n := from; n < from+12; n++ {
		pester(n)
		burn(300 * time.Microsecond) // does something with the answer
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for c := 0; c < 4; c++ {
			wg.Add(1)
			go func(c int) { defer wg.Done(); child(c * 12) }(c)
		}
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
