// roast TRACE: writes the trace that tests/unit/test_causes.c reads: guests give up after 5 ms, and what they ordered is made all the same, under one lock. Built with -trimpath.
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

var oven sync.Mutex

func roast(n int, gone chan struct{}) int {
	for i := 0; i < n; i++ {
		if fixed {
			select {
			case <-gone:
				return 0
			default:
			}
		}
		oven.Lock()
		burn(400 * time.Microsecond)
		oven.Unlock()
	}
	return n
}
func order(n int) int {
	out, gone := make(chan int, 1), make(chan struct{})
	go func() { out <- roast(n, gone) }()
	defer close(gone)
	select {
	case x := <-out:
		return x
	case <-time.After(5 * time.Millisecond):
		return -1
	}
}

var fixed = len(os.Args) > 2

func guest(wg *sync.WaitGroup, id int) {
	defer wg.Done()
	for i := 0; i < 25; i++ {
		n := 2
		if (i+id)%3 == 0 {
			n = 30
		}
		order(n)
		time.Sleep(3 * time.Millisecond)
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for i := 0; i < 3; i++ {
			wg.Add(1)
			go guest(&wg, i)
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
