// dyers TRACE: writes the trace that tests/unit/test_causes.c reads: three stages that began in one function of a generic type, but do
// different things; the others wait for the one that dyes. Go 1.27.
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

type stage[T any] struct {
	work func(T) T
	n    int
}

func (s stage[T]) run(in <-chan T) <-chan T {
	out := make(chan T)
	var w sync.WaitGroup
	for i := 0; i < s.n; i++ {
		w.Add(1)
		go func() {
			defer w.Done()
			for v := range in {
				out <- s.work(v)
			}
		}()
	}
	go func() { w.Wait(); close(out) }()
	return out
}

type vat struct{ soaks time.Duration }

func (v vat) dye(cloth int) int    { compute(v.soaks); return cloth + 1 }
func (v vat) unfold(cloth int) int { compute(v.soaks / 6); return cloth }

func main() {
	runtime.GOMAXPROCS(8)
	v := vat{2 * time.Millisecond}
	traced(func() {
		in := make(chan int)
		go func() {
			for i := 0; i < 90; i++ {
				in <- i
			}
			close(in)
		}()
		out := stage[int]{v.unfold, 2}.run(in)
		out = stage[int]{v.dye, 1}.run(out)
		for range stage[int]{v.unfold, 2}.run(out) {
		}
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
