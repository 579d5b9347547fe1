// stampede TRACE: writes the trace that tests/unit/test_causes.c reads: what is known of the rates gets old, and all who find it so ask the bank, which has two tellers. Built with -trimpath.
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

type rates struct {
	mu   sync.Mutex
	till time.Time
	busy bool
}

var asked = make(chan chan int, 64)

func teller() {
	for a := range asked {
		time.Sleep(2 * time.Millisecond)
		a <- 1
	}
}
func askBank() { a := make(chan int, 1); asked <- a; <-a }
func (r *rates) get() {
	r.mu.Lock()
	old := time.Now().After(r.till) && !r.busy
	r.busy = false
	r.mu.Unlock()
	if old {
		askBank()
		r.mu.Lock()
		r.till, r.busy = time.Now().Add(16*time.Millisecond), false
		r.mu.Unlock()
	}
}
func customer(r *rates, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 40; i++ {
		r.get()
		burn(300 * time.Microsecond)
		time.Sleep(400 * time.Microsecond)
	}
}
func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		go teller()
		go teller()
		r, wg := &rates{}, sync.WaitGroup{}
		for i := 0; i < 12; i++ {
			wg.Add(1)
			go customer(r, &wg)
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
