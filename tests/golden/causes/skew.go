// skew TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

func shardOf(k int) int {
	if k%10 < 7 {
		return 0
	}
	return 1 + k%5
}
func drain(q chan int, wg *sync.WaitGroup) {
	defer wg.Done()
	for range q {
		apply()
	}
}
func apply() { burn(250 * time.Microsecond) }
func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		qs := make([]chan int, 6)
		for i := range qs {
			qs[i] = make(chan int, 2000)
			wg.Add(1)
			go drain(qs[i], &wg)
		}
		for k := 0; k < 1600; k++ {
			qs[shardOf(k)] <- k
		}
		for _, q := range qs {
			close(q)
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
