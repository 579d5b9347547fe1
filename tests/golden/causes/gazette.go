// gazette TRACE: writes the trace that tests/unit/test_causes.c reads: who publishes holds the lock while it sends to a press that is slow. Built with -trimpath.
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

type gazette struct {
	mu    sync.Mutex
	press chan int
}

func (g *gazette) publish(i int) { g.mu.Lock(); g.press <- i; g.mu.Unlock() }
func runPress(g *gazette, wg *sync.WaitGroup) {
	defer wg.Done()
	for range g.press {
		burn(2 * time.Millisecond)
	}
}
func reporter(g *gazette, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 12; i++ {
		burn(200 * time.Microsecond)
		g.publish(i)
	}
}
func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		g, wg, done := &gazette{press: make(chan int, 2)}, sync.WaitGroup{}, sync.WaitGroup{}
		done.Add(1)
		go runPress(g, &done)
		for i := 0; i < 6; i++ {
			wg.Add(1)
			go reporter(g, &wg)
		}
		wg.Wait()
		close(g.press)
		done.Wait()
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
