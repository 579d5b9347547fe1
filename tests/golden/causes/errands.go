// errands TRACE: writes the trace that tests/unit/test_causes.c reads: what is known gets old, and the errands that come meanwhile all go to the desk, at which two stand at a time. Built with -trimpath.
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

type board struct {
	mu   sync.Mutex
	till time.Time
}

var desk = make(chan int, 2)

func askDesk() { desk <- 1; time.Sleep(3 * time.Millisecond); <-desk }
func (b *board) look() {
	b.mu.Lock()
	old := time.Now().After(b.till)
	b.mu.Unlock()
	if old {
		askDesk()
		b.mu.Lock()
		b.till = time.Now().Add(25 * time.Millisecond)
		b.mu.Unlock()
	}
}
func errand(b *board, wg *sync.WaitGroup) {
	defer wg.Done()
	b.look()
	burn(200 * time.Microsecond)
}
func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		b, wg := &board{}, sync.WaitGroup{}
		for i := 0; i < 400; i++ {
			wg.Add(1)
			go errand(b, &wg)
			time.Sleep(150 * time.Microsecond)
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
