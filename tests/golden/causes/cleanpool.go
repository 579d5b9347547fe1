// cleanpool TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

func task() { burn(700 * time.Microsecond) }
func hand(jobs chan int, wg *sync.WaitGroup) {
	defer wg.Done()
	for range jobs {
		task()
	}
}
func main() {
	runtime.GOMAXPROCS(6)
	traced(os.Args[1], func() {
		jobs := make(chan int, 64)
		var wg sync.WaitGroup
		for i := 0; i < 6; i++ {
			wg.Add(1)
			go hand(jobs, &wg)
		}
		for b := 0; b < 40; b++ {
			for i := 0; i < 30; i++ {
				jobs <- i
			}
			time.Sleep(10 * time.Millisecond)
		}
		close(jobs)
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
