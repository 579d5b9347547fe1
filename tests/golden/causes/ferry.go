// ferry TRACE: writes the trace that tests/unit/test_causes.c reads: six share two boats; who gets none within 4 ms gives up and tries again, who has
// one keeps it for 5 ms. Built with -trimpath.
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

func board(boats chan int) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Millisecond)
	defer cancel()
	select {
	case boats <- 1:
		return true
	case <-ctx.Done():
		return false
	}
}

func cross(boats chan int) {
	for !board(boats) {
	}
	time.Sleep(5 * time.Millisecond)
	<-boats
	burn(100 * time.Microsecond)
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		boats := make(chan int, 2)
		for g := 0; g < 6; g++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 10; i++ {
					cross(boats)
				}
			}()
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
