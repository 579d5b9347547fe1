// dressmakers TRACE [clean]: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

// A dress is an order for one workshop, and so is each of its seams: who makes the dress orders the seams, and waits for them at its
// bench. Clean: it sews them itself.
type order struct {
	make func() int
	done chan int
}

type workshop chan order

func (w workshop) bench() {
	for o := range w {
		o.done <- o.make()
	}
}

func (w workshop) sewn(f func() int) chan int {
	done := make(chan int, 1)
	w <- order{f, done}
	return done
}

func seam() int {
	busy(time.Millisecond)
	return 1
}

func (w workshop) dress(itself bool) int {
	var seams []chan int
	n := 0
	for i := 0; i < 5; i++ {
		if itself {
			n += seam()
			continue
		}
		seams = append(seams, w.sewn(seam))
	}
	for _, s := range seams {
		n += <-s
	}
	return n
}

func main() {
	runtime.GOMAXPROCS(6)
	clean := len(os.Args) > 2
	w := make(workshop, 1000)
	for i := 0; i < 6; i++ {
		go w.bench()
	}
	traced(func() {
		var wg sync.WaitGroup
		for i := 0; i < 5; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for n := 0; n < 10; n++ {
					<-w.sewn(func() int { return w.dress(clean) })
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
