// cooperage TRACE: writes the traces that tests/unit/test_causes.c reads (cooperage with Go 1.27, coopers with 1.21). All goroutines begin in one
// helper of the program's own, which runs what it was given; one of them is slow.
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

var all sync.WaitGroup

// hire runs a job in a goroutine of its own.
func hire(job func()) {
	all.Add(1)
	go func() {
		defer all.Done()
		job()
	}()
}

// work keeps its processor, and the host none.
func work(d time.Duration) {
	pause := syscall.NsecToTimespec(int64(d))
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0)
}

type shop struct{ staves, barrels, hooped chan int }

func (s *shop) saw() {
	for i := 0; i < 30; i++ {
		work(100 * time.Microsecond)
		s.staves <- i
	}
}

func (s *shop) raise() {
	for i := range s.staves {
		work(200 * time.Microsecond)
		s.barrels <- i
	}
}

func (s *shop) hoop() {
	for i := range s.barrels {
		work(900 * time.Microsecond)
		s.hooped <- i
	}
}

func (s *shop) stack() {
	for range s.hooped {
		work(20 * time.Microsecond)
	}
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
	s := &shop{make(chan int), make(chan int), make(chan int)}
	var sawyers sync.WaitGroup
	for i := 0; i < 3; i++ {
		sawyers.Add(1)
		hire(func() { defer sawyers.Done(); s.saw() })
	}
	hire(func() { sawyers.Wait(); close(s.staves) })
	var raisers sync.WaitGroup
	for i := 0; i < 2; i++ {
		raisers.Add(1)
		hire(func() { defer raisers.Done(); s.raise() })
	}
	hire(func() { raisers.Wait(); close(s.barrels) })
	hire(func() { s.hoop(); close(s.hooped) })
	hire(s.stack)
	all.Wait()
	trace.Stop()
}
