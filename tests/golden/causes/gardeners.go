// gardeners TRACE: writes the trace that tests/unit/test_causes.c reads: each has beds of his own, and most of what grows is in one of them. Built with -trimpath.
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

func weed(beds chan int) {
	for range beds {
		busy(300 * time.Microsecond)
	}
}

func bedOf(weeds int) int {
	if weeds%10 < 7 {
		return 0
	}
	return weeds % 6
}

func assign(beds []chan int, weeds int) {
	beds[bedOf(weeds)] <- weeds
}

func main() {
	runtime.GOMAXPROCS(6)
	traced(func() {
		var all sync.WaitGroup
		var beds []chan int
		for i := 0; i < 6; i++ {
			beds = append(beds, make(chan int, 400))
			all.Add(1)
			go func(bed chan int) {
				defer all.Done()
				weed(bed)
			}(beds[i])
		}
		for i := 0; i < 400; i++ {
			assign(beds, i)
			if i%8 == 0 {
				time.Sleep(200 * time.Microsecond)
			}
		}
		for _, bed := range beds {
			close(bed)
		}
		all.Wait()
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
