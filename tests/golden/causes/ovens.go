// ovens TRACE: writes the trace that tests/unit/test_causes.c reads: four roasts, 20 ms each, have both processors; three waiters have a moment's
// work now and then. Built with -trimpath.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

func roast(done *atomic.Bool) {
	for !done.Load() {
		for i := 0; i < 40; i++ {
			burn(500 * time.Microsecond)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

func serve() {
	_, task := trace.NewTask(context.Background(), "guest")
	defer task.End()
	burn(100 * time.Microsecond)
}

func main() {
	runtime.GOMAXPROCS(2)
	traced(os.Args[1], func() {
		var wg, ovens sync.WaitGroup
		var done atomic.Bool
		for o := 0; o < 4; o++ {
			ovens.Add(1)
			go func() { defer ovens.Done(); roast(&done) }()
		}
		for w := 0; w < 3; w++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 10; i++ {
					serve()
					time.Sleep(2 * time.Millisecond)
				}
			}()
		}
		wg.Wait()
		done.Store(true)
		ovens.Wait()
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
