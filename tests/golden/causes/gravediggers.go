// gravediggers TRACE: writes the trace that tests/unit/test_causes.c reads: a finalizer works for 1.5 ms with a lock held that all others need. Go 1.27.
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

type grave struct {
	n     int
	earth []byte
}
type churchyard struct {
	mu sync.Mutex
	m  map[int]bool
}

func (y *churchyard) level(g *grave) {
	y.mu.Lock()
	compute(1500 * time.Microsecond)
	delete(y.m, g.n)
	y.mu.Unlock()
}

func (y *churchyard) dig(n int) *grave {
	g := &grave{n, make([]byte, 128<<10)}
	runtime.SetFinalizer(g, y.level)
	y.mu.Lock()
	y.m[n] = true
	y.mu.Unlock()
	return g
}

func main() {
	runtime.GOMAXPROCS(8)
	y := &churchyard{m: map[int]bool{}}
	traced(func() {
		sideBySide(6, func(i int) {
			for k := 0; k < 40; k++ {
				y.dig(i*100 + k).earth[0] = 1
				compute(2 * time.Millisecond)
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
