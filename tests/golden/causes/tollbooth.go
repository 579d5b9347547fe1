// tollbooth TRACE: writes the trace that tests/unit/test_causes.c reads: who has the lock waits for a processor, which others run on.
// Built with -trimpath.
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

type booth struct {
	mu sync.Mutex
	n  int
}

func (b *booth) pay() {
	b.mu.Lock()
	runtime.Gosched()
	b.n++
	b.mu.Unlock()
}

func pave(until time.Time) {
	for time.Now().Before(until) {
		ts := syscall.NsecToTimespec(3e6)
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	b, until := &booth{}, time.Now().Add(150*time.Millisecond)
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			pave(until)
		}()
	}
	for i := 0; i < 6; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 8 && time.Now().Before(until); k++ {
				b.pay()
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
