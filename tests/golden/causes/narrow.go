// narrow TRACE: writes the trace that tests/unit/test_causes.c reads. Two processors are all that the program leaves itself, for
// eight goroutines with work; their work waits for processors.
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

// burn keeps the P busy for d, as a calculation does: the thread sleeps in a call the runtime is not told of.
func burn(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}

func beModest() { runtime.GOMAXPROCS(2) }

func weave() {
	for i := 0; i < 5; i++ {
		ctx, task := trace.NewTask(context.Background(), "cloth")
		trace.WithRegion(ctx, "weave", func() { burn(2 * time.Millisecond) })
		task.End()
		runtime.Gosched()
	}
}

func main() {
	runtime.GOMAXPROCS(8)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	trace.Start(f)
	beModest()
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			weave()
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
