// callboy TRACE: writes the trace that tests/unit/test_causes.c reads: a callboy may have so many actors on stage as the manager says, and that is
// one, by mistake: each makes up for himself while seven mirrors are free. Built with -trimpath.
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

type stage struct {
	wg    sync.WaitGroup
	limit chan struct{}
}

func (s *stage) call(act func()) {
	s.limit <- struct{}{}
	s.wg.Add(1)
	go func() {
		defer func() { <-s.limit; s.wg.Done() }()
		act()
	}()
}

func makeUp() { busy(2 * time.Millisecond) }

func play() {
	s := &stage{limit: make(chan struct{}, 1)}
	for i := 0; i < 24; i++ {
		s.call(makeUp)
	}
	s.wg.Wait()
}

func main() {
	runtime.GOMAXPROCS(8)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	for night := 0; night < 4; night++ {
		play()
	}
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
