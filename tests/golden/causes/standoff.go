// standoff TRACE: writes the trace that tests/unit/test_causes.c reads: two exchangers send to each other over full channels and stand for good; six others go on until the deadline. Built with -trimpath.
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

func exchangePapers(out, in chan int, n int, done chan int) {
	for i := 0; i < n; i++ {
		burn(100 * time.Microsecond)
		if false {
			select {
			case out <- i:
			case <-in:
				out <- i
			}
			continue
		}
		out <- i
		out <- i
		<-in
		<-in
	}
	done <- 1
}
func clerkWork(wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 150; i++ {
		burn(time.Millisecond)
		time.Sleep(time.Millisecond)
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		done := make(chan int, 2)
		a, b := make(chan int, 1), make(chan int, 1)
		if false {
			a, b = make(chan int, 900), make(chan int, 900)
		}
		go exchangePapers(a, b, 200, done)
		go exchangePapers(b, a, 200, done)
		var wg sync.WaitGroup
		for i := 0; i < 3; i++ {
			wg.Add(1)
			go clerkWork(&wg)
		}
		wg.Wait()
		select {
		case <-done:
		case <-time.After(100 * time.Millisecond):
		}
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
