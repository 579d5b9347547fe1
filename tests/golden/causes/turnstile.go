// turnstile TRACE: writes the trace that tests/unit/test_causes.c reads: a ticker lets one of six through each 3 ms, who then need half a
// millisecond. Built with -trimpath.
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

type turnstile struct{ free chan struct{} }

func (t *turnstile) turn(done chan bool) {
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			select {
			case t.free <- struct{}{}:
			default:
			}
		}
	}
}

func (t *turnstile) pass(gone chan bool) {
	select {
	case <-t.free:
	case <-gone:
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		t, done := &turnstile{make(chan struct{}, 1)}, make(chan bool)
		go t.turn(done)
		var wg sync.WaitGroup
		for g := 0; g < 6; g++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 10; i++ {
					t.pass(done)
					burn(500 * time.Microsecond)
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
