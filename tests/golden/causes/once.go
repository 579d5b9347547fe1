// once TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

type model struct {
	once sync.Once
	w    []int
}

func (m *model) weights() []int { m.once.Do(m.train); return m.w }
func (m *model) train() {
	for i := 0; i < 40; i++ {
		burn(4 * time.Millisecond)
	}
	m.w = []int{1}
}
func predict(m *model) { _ = m.weights(); burn(300 * time.Microsecond) }
func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		m := &model{}
		var wg sync.WaitGroup
		for i := 0; i < 14; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for k := 0; k < 60; k++ {
					predict(m)
				}
			}()
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
