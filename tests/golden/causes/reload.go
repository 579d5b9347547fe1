// reload TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

type conf struct {
	mu sync.RWMutex
	v  int
}

func (c *conf) get() int { c.mu.RLock(); defer c.mu.RUnlock(); return c.v }
func (c *conf) reload()  { c.mu.Lock(); defer c.mu.Unlock(); c.parse() }
func (c *conf) parse()   { burn(9 * time.Millisecond); c.v++ }
func main() {
	runtime.GOMAXPROCS(6)
	traced(os.Args[1], func() {
		c := &conf{}
		var wg sync.WaitGroup
		done := make(chan bool)
		go func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(10 * time.Millisecond):
					c.reload()
				}
			}
		}()
		for i := 0; i < 7; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for k := 0; k < 600; k++ {
					c.get()
					burn(120 * time.Microsecond)
				}
			}()
		}
		wg.Wait()
		close(done)
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
