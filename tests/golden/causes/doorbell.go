// doorbell TRACE: writes the trace that tests/unit/test_causes.c reads: the door opens 1 ms after it is asked for; who finds it closed tries again after 4, 8, 16 ms. Built with -trimpath.
package main

import (
	"errors"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type door struct {
	mu    sync.Mutex
	ready time.Time
	ch    chan struct{}
}

func (d *door) tryOpen() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	burn(20 * time.Microsecond)
	if time.Now().Before(d.ready) {
		return errors.New("closed")
	}
	return nil
}
func ringDoorbell(d *door) {
	d.mu.Lock()
	d.ready = time.Now().Add(5 * time.Millisecond)
	d.ch = make(chan struct{})
	ch := d.ch
	d.mu.Unlock()
	time.AfterFunc(5*time.Millisecond+100*time.Microsecond, func() { close(ch) })
	if false {
		<-ch
		for d.tryOpen() != nil {
			runtime.Gosched()
		}
		return
	}
	for wait := 4 * time.Millisecond; ; wait *= 2 {
		if d.tryOpen() == nil {
			return
		}
		time.Sleep(wait)
	}
}
func postman(wg *sync.WaitGroup, n int) {
	defer wg.Done()
	for i := 0; i < n; i++ {
		d := &door{}
		ringDoorbell(d)
		burn(500 * time.Microsecond)
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for i := 0; i < 6; i++ {
			wg.Add(1)
			go postman(&wg, 30)
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
