// cleannews TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

// Long polling: readers ask for news and wait a limit for them; mostly there are none, and they ask anew.
type topic struct {
	mu   sync.Mutex
	wake chan struct{}
}

func (t *topic) publish() {
	t.mu.Lock()
	close(t.wake)
	t.wake = make(chan struct{})
	t.mu.Unlock()
}

func (t *topic) poll(ctx context.Context) {
	t.mu.Lock()
	wake := t.wake
	t.mu.Unlock()
	select {
	case <-wake:
		busy(100 * time.Microsecond)
	case <-ctx.Done():
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	t := &topic{wake: make(chan struct{})}
	traced(func() {
		end := time.Now().Add(400 * time.Millisecond)
		var wg sync.WaitGroup
		for i := 0; i < 12; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for time.Now().Before(end) {
					ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
					t.poll(ctx)
					cancel()
				}
			}()
			time.Sleep(2 * time.Millisecond)
		}
		for time.Now().Before(end) {
			time.Sleep(73 * time.Millisecond)
			t.publish()
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

