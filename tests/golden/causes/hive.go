// hive TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
// Cells each have a bee and a queue; half of them get nothing, and one gets more than its bee can do. Who brings something waits.
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

const cells = 8

func cellOf(k int) int {
	if k%9 < 4 {
		return 0
	}
	return 1 + k%3
}

func tend(q chan chan struct{}) {
	for done := range q {
		fill()
		close(done)
	}
}

func fill() { burn(400 * time.Microsecond) }

func bring(q chan chan struct{}) {
	_, task := trace.NewTask(context.Background(), "bring")
	defer task.End()
	done := make(chan struct{})
	q <- done
	<-done
}

func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		qs := make([]chan chan struct{}, cells)
		for i := range qs {
			qs[i] = make(chan chan struct{}, 200)
			go tend(qs[i])
		}
		for k := 0; k < 450; k++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				bring(qs[cellOf(k)])
			}()
			burn(50 * time.Microsecond)
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
