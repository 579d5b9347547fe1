// cachemiss TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

type cache struct {
	mu sync.Mutex
	m  map[int]int
}

func (c *cache) lookup(k int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok && k%5 != 0 {
		return v
	}
	v := c.derive(k)
	c.m[k] = v
	return v
}
func (c *cache) derive(k int) int { burn(800 * time.Microsecond); return k * 3 }
func analyst(c *cache, from int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 150; i++ {
		c.lookup((from*31 + i) % 40)
		burn(100 * time.Microsecond)
	}
}
func main() {
	runtime.GOMAXPROCS(6)
	traced(os.Args[1], func() {
		c := &cache{m: map[int]int{}}
		var wg sync.WaitGroup
		for i := 0; i < 4; i++ {
			wg.Add(1)
			go analyst(c, i, &wg)
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
