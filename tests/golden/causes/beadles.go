// beadles TRACE: writes the trace that tests/unit/test_causes.c reads: whoever asks while another one asks waits for that one, though it asks for something
// else, and comes back to the same place by another way each time. Go 1.27.
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

type chapter struct {
	mu   sync.Mutex
	asks chan struct{}
}

func (c *chapter) ask() {
	c.mu.Lock()
	if other := c.asks; other != nil {
		c.mu.Unlock()
		<-other
		c.ask()
		return
	}
	mine := make(chan struct{})
	c.asks = mine
	c.mu.Unlock()
	answer()
	c.mu.Lock()
	c.asks = nil
	c.mu.Unlock()
	close(mine)
}

func answer() { time.Sleep(3 * time.Millisecond) }

func main() {
	runtime.GOMAXPROCS(8)
	c := &chapter{}
	traced(func() {
		sideBySide(8, func(int) {
			for k := 0; k < 8; k++ {
				c.ask()
				compute(500 * time.Microsecond)
			}
		})
	})
}

func sideBySide(n int, f func(i int)) {
	var w sync.WaitGroup
	for i := 0; i < n; i++ {
		w.Add(1)
		go func(i int) { defer w.Done(); f(i) }(i)
	}
	w.Wait()
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
