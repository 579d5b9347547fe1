// cattle TRACE: writes the trace that tests/unit/test_causes.c reads: a drover calls all forty cows for each bundle of hay, and is at work
// all the time. Go 1.25.
package main

import (
	"log"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type rack struct {
	mu   sync.Mutex
	c    *sync.Cond
	hay  int
	over bool
}

func (r *rack) fill(n int, over bool) {
	r.mu.Lock()
	r.hay += n
	r.over = over
	r.c.Broadcast()
	r.mu.Unlock()
}

func (r *rack) feed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.hay == 0 && !r.over {
		r.c.Wait()
	}
	r.hay--
	return r.hay >= 0
}

func main() {
	runtime.GOMAXPROCS(8)
	r := &rack{}
	r.c = sync.NewCond(&r.mu)
	traced(func() {
		var w sync.WaitGroup
		for i := 0; i < 40; i++ {
			w.Add(1)
			go func() {
				defer w.Done()
				for r.feed() {
					compute(2 * time.Millisecond)
				}
			}()
		}
		for i := 0; i < 40; i++ {
			compute(time.Millisecond)
			r.fill(1, false)
		}
		r.fill(0, true)
		w.Wait()
	})
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	work()
	trace.Stop()
	f.Close()
}

// compute keeps the P busy for d.
func compute(d time.Duration) {
	for end, left := time.Now().Add(d), d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
