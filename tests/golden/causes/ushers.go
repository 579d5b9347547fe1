// ushers TRACE: writes the trace that tests/unit/test_causes.c reads: guests who leave are not struck off the list, so the bell that rings all day
// wakes more ushers each time. Nobody waits for the bell. Built with -trimpath.
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

type usher struct{ ring chan int }

type house struct {
	mu   sync.Mutex
	list []*usher
}

func (u *usher) stand(gone chan bool) {
	for {
		select {
		case <-u.ring:
			busy(20 * time.Microsecond)
		case <-gone:
			return
		}
	}
}

func (h *house) enlist() {
	u := &usher{make(chan int, 1)}
	h.mu.Lock()
	h.list = append(h.list, u)
	h.mu.Unlock()
	go u.stand(make(chan bool))
}

func (h *house) bell(closes chan bool) {
	t := time.NewTicker(20 * time.Millisecond)
	for n := 0; ; n++ {
		select {
		case <-t.C:
			h.mu.Lock()
			for _, u := range h.list {
				select {
				case u.ring <- n:
				default:
				}
			}
			h.mu.Unlock()
		case <-closes:
			return
		}
	}
}

func guest(h *house) {
	h.enlist()
	time.Sleep(5 * time.Millisecond)
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	h, closes := &house{}, make(chan bool)
	go h.bell(closes)
	var guests sync.WaitGroup
	for i := 0; i < 4; i++ {
		guests.Add(1)
		go func() {
			defer guests.Done()
			for k := 0; k < 80; k++ {
				guest(h)
			}
		}()
	}
	guests.Wait()
	close(closes)
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
