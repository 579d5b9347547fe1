// cleanlease TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

// Two ask again and again whether there is something new, and one of them is told now and then.
func poll(changes chan int, end time.Time) {
	for time.Now().Before(end) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		select {
		case <-ctx.Done():
		case <-changes:
			busy(500 * time.Microsecond)
		}
		cancel()
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		end := time.Now().Add(400 * time.Millisecond)
		changes := make(chan int)
		var wg sync.WaitGroup
		for i := 0; i < 2; i++ {
			wg.Add(1)
			go func() { defer wg.Done(); poll(changes, end) }()
		}
		for i := 0; time.Now().Before(end); i++ {
			busy(300 * time.Microsecond)
			if i%8 == 7 {
				select {
				case changes <- i:
				default:
				}
			}
			time.Sleep(5 * time.Millisecond)
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
