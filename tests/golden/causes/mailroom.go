// mailroom TRACE: writes the trace that tests/unit/test_causes.c reads: one clerk, three goroutines that keep the pile full, and one that waits
// for answers. Built with -trimpath; the trace is compressed (gzip -9).
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

type letter struct{ answer chan int }

func clerk(pile chan letter) {
	for l := range pile {
		burn(100 * time.Microsecond)
		if l.answer != nil {
			l.answer <- 1
		}
	}
}

func leaflets(pile chan letter, done *atomic.Bool) {
	for !done.Load() {
		pile <- letter{}
	}
}

func enquire(pile chan letter) {
	l := letter{make(chan int, 1)}
	pile <- l
	<-l.answer
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		var done atomic.Bool
		pile := make(chan letter, 40)
		go clerk(pile)
		for i := 0; i < 3; i++ {
			wg.Add(1)
			go func() { defer wg.Done(); leaflets(pile, &done) }()
		}
		asked := make(chan bool)
		go func() {
			for i := 0; i < 20; i++ {
				enquire(pile)
				time.Sleep(time.Millisecond)
			}
			asked <- true
		}()
		<-asked
		done.Store(true)
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
