// lockers TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

// Some wait for a locker, not most; but what each of them does takes twice as long for that. Another set of them is large enough.
type lockers struct {
	mu      sync.Mutex
	free    int
	waiting []chan struct{}
}

func (l *lockers) take(quit chan struct{}) {
	l.mu.Lock()
	if l.free > 0 {
		l.free--
		l.mu.Unlock()
		return
	}
	c := make(chan struct{}, 1)
	l.waiting = append(l.waiting, c)
	l.mu.Unlock()
	select {
	case <-c:
	case <-quit:
	}
}

func (l *lockers) giveBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) > 0 {
		l.waiting[0] <- struct{}{}
		l.waiting = l.waiting[1:]
		return
	}
	l.free++
}

func (l *lockers) use(d time.Duration, quit chan struct{}) {
	l.take(quit)
	defer l.giveBack()
	busy(d)
}

func main() {
	runtime.GOMAXPROCS(8)
	few, enough, quit := &lockers{free: 2}, &lockers{free: 20}, make(chan struct{})
	traced(func() {
		var wg sync.WaitGroup
		for i := 0; i < 10; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				time.Sleep(time.Duration(i) * time.Millisecond)
				for n := 0; n < 14; n++ {
					enough.use(500*time.Microsecond, quit)
					few.use(3*time.Millisecond, quit)
					time.Sleep(time.Duration(5+(i+n)%4) * time.Millisecond)
				}
			}()
		}
		wg.Wait()
	})
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
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

// busy keeps the P for d without the processor.
func busy(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
