// clamps TRACE: writes the trace that tests/unit/test_causes.c reads: all that have one of three tools wait for a second one, until the time of one is up. Built with -trimpath.
package main

import (
	"math/rand"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type shed struct{ tools chan int }

func (s *shed) borrow(d time.Duration) (int, bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case x := <-s.tools:
		return x, true
	case <-t.C:
		return 0, false
	}
}
func (s *shed) bring(x int) { s.tools <- x }
func saw(s *shed) bool {
	x, ok := s.borrow(20 * time.Millisecond)
	if !ok {
		return false
	}
	defer s.bring(x)
	time.Sleep(2 * time.Millisecond)
	if fixed {
		return true
	}
	return clamp(s)
}
func clamp(s *shed) bool {
	y, ok := s.borrow(20 * time.Millisecond)
	if !ok {
		return false
	}
	time.Sleep(time.Millisecond)
	s.bring(y)
	return true
}

var fixed = len(os.Args) > 2

func carpenter(s *shed, wg *sync.WaitGroup, seed int64) {
	defer wg.Done()
	r := rand.New(rand.NewSource(seed))
	for i := 0; i < 3; i++ {
		for !saw(s) {
		}
		burn(time.Duration(r.Intn(400)) * time.Microsecond)
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		s := &shed{make(chan int, 3)}
		for i := 0; i < 3; i++ {
			s.tools <- i
		}
		var wg sync.WaitGroup
		for i := 0; i < 5; i++ {
			wg.Add(1)
			go carpenter(s, &wg, int64(i))
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
