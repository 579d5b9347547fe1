// spigot TRACE: writes the trace that tests/unit/test_causes.c reads: a limiter lets one request through each 3 ms: callers reserve their turn and sleep until it comes. Built with -trimpath.
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

type spigot struct {
	mu    sync.Mutex
	next  time.Time
	every time.Duration
}

func (s *spigot) Wait() {
	s.mu.Lock()
	now := time.Now()
	if s.next.Before(now) {
		s.next = now
	}
	at := s.next
	s.next = s.next.Add(s.every)
	s.mu.Unlock()
	if d := at.Sub(now); d > 0 {
		t := time.NewTimer(d)
		<-t.C
	}
}
func pourGlass(s *spigot) { s.Wait(); burn(300 * time.Microsecond) }
func guest(s *spigot, n int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < n; i++ {
		pourGlass(s)
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	e := 3 * time.Millisecond
	if false {
		e = 50 * time.Microsecond
	}
	traced(os.Args[1], func() {
		s := &spigot{every: e}
		var wg sync.WaitGroup
		for i := 0; i < 10; i++ {
			wg.Add(1)
			go guest(s, 20, &wg)
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
