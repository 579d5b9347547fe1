// cleanmillers TRACE: writes a trace like the one that tests/unit/test_causes.c reads: three bring grain at their own pace and three grind
// it, all begun in one function. Go 1.22.
package main

import (
	"log"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type hopper struct {
	mu    sync.Mutex
	sacks int
	come  chan struct{}
}

func (h *hopper) pour() {
	h.mu.Lock()
	h.sacks++
	h.mu.Unlock()
	select {
	case h.come <- struct{}{}:
	default:
	}
}

func (h *hopper) take() {
	for {
		h.mu.Lock()
		if h.sacks > 0 {
			h.sacks--
			h.mu.Unlock()
			return
		}
		h.mu.Unlock()
		<-h.come
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	var h [3]hopper
	for i := range h {
		h[i].come = make(chan struct{}, 1)
	}
	traced(func() {
		var w sync.WaitGroup
		each := func(n int, f func(i int)) {
			for i := 0; i < n; i++ {
				w.Add(1)
				go func(i int) { defer w.Done(); f(i) }(i)
			}
			w.Wait()
		}
		each(6, func(i int) {
			for k := 0; k < 60; k++ {
				if i%2 == 0 {
					time.Sleep(2 * time.Millisecond)
					h[i/2].pour()
				} else {
					h[i/2].take()
					compute(100 * time.Microsecond)
				}
			}
		})
	})
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	work()
	trace.Stop()
	f.Close()
}

// compute keeps the P busy for d.
func compute(d time.Duration) {
	for end, left := time.Now().Add(d), d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
