// weighhouse TRACE: writes the trace that tests/unit/test_causes.c reads: both sides of a queue for one wait on one condition, and Signal wakes the
// wrong one; a ticker that wakes all mends it. Go 1.23.
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

type scales struct {
	mu     sync.Mutex
	c      *sync.Cond
	sacks  []int
	closed bool
}

func (s *scales) put(v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.sacks) > 0 {
		s.c.Wait()
	}
	s.sacks = append(s.sacks, v)
	s.c.Signal()
}

func (s *scales) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.sacks) == 0 && !s.closed {
		s.c.Wait()
	}
	if len(s.sacks) == 0 {
		return false
	}
	s.sacks = s.sacks[:0]
	s.c.Signal()
	return true
}

func (s *scales) wakeAll(closed bool) {
	s.mu.Lock()
	s.closed = s.closed || closed
	s.c.Broadcast()
	s.mu.Unlock()
}

func main() {
	runtime.GOMAXPROCS(8)
	s := &scales{}
	s.c = sync.NewCond(&s.mu)
	traced(func() {
		go bell(s)
		var carry, weigh sync.WaitGroup
		for i := 0; i < 6; i++ {
			weigh.Add(1)
			go func() {
				defer weigh.Done()
				for s.take() {
					compute(400 * time.Microsecond)
				}
			}()
		}
		for i := 0; i < 2; i++ {
			carry.Add(1)
			go func() {
				defer carry.Done()
				for k := 0; k < 150; k++ {
					compute(time.Duration(400+300*(k&1)) * time.Microsecond)
					s.put(k)
				}
			}()
		}
		carry.Wait()
		s.wakeAll(true)
		weigh.Wait()
	})
}

func bell(s *scales) {
	t := time.NewTicker(15 * time.Millisecond)
	for range t.C {
		s.wakeAll(false)
	}
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
