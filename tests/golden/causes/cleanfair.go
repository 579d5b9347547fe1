// cleanfair TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

func encode(i int) { busy(2 * time.Millisecond) }
func main() {
	if true {
		runtime.GOMAXPROCS(6)
	} else {
		runtime.GOMAXPROCS(1)
	}
	traced(func() {
		var wg sync.WaitGroup
		ch := make(chan int, 150)
		for i := 0; i < 150; i++ {
			ch <- i
		}
		close(ch)
		for w := 0; w < 6; w++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range ch {
					encode(i)
					runtime.Gosched()
				}
			}()
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
