// cleanhiccup TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

// Tasks ask something that answers in a millisecond; once it stands still for a while, for all that ask just then.
func ask(begin time.Time) {
	time.Sleep(time.Millisecond)
	if now := time.Since(begin); now > 40*time.Millisecond && now < 90*time.Millisecond {
		time.Sleep(90*time.Millisecond - now)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		begin := time.Now()
		var wg sync.WaitGroup
		for i := 0; i < 5; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for n := 0; n < 40; n++ {
					_, task := trace.NewTask(context.Background(), "ask")
					ask(begin)
					task.End()
					busy(200 * time.Microsecond)
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
