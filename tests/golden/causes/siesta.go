// siesta TRACE: writes the trace that tests/unit/test_causes.c reads: ringBell drops its signal when the cook is not yet waiting; the cook then sleeps through until his 12 ms timeout. Built with -trimpath.
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

type kitchen struct {
	mu     sync.Mutex
	orders []chan int
	bell   chan struct{}
}

func (k *kitchen) ringBell() {
	select {
	case k.bell <- struct{}{}:
	default:
	}
}
func (k *kitchen) order() {
	r := make(chan int, 1)
	k.mu.Lock()
	k.orders = append(k.orders, r)
	k.mu.Unlock()
	k.ringBell()
	<-r
}
func (k *kitchen) waitForBell() {
	select {
	case <-k.bell:
	case <-time.After(12 * time.Millisecond):
	}
}
func (k *kitchen) cook() {
	for {
		k.mu.Lock()
		o := k.orders
		k.orders = nil
		k.mu.Unlock()
		for _, r := range o {
			if r == nil {
				return
			}
			r <- 1
			burn(400 * time.Microsecond)
		}
		k.waitForBell()
	}
}
func diner(k *kitchen, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 50; i++ {
		k.order()
		burn(150 * time.Microsecond)
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	k := &kitchen{bell: make(chan struct{})}
	if false {
		k.bell = make(chan struct{}, 1)
	}
	traced(os.Args[1], func() {
		go k.cook()
		var wg sync.WaitGroup
		for i := 0; i < 3; i++ {
			wg.Add(1)
			go diner(k, &wg)
		}
		wg.Wait()
		k.mu.Lock()
		k.orders = append(k.orders, nil)
		k.mu.Unlock()
		k.ringBell()
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
