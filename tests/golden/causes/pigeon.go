// pigeon TRACE: writes the trace that tests/unit/test_causes.c reads: the post sends letters when 32 are together or after 10 ms; four senders never make 32, so each letter waits for the time. Built with -trimpath.
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

type letter struct{ done chan int }

func flushBatch(b []letter) {
	burn(200 * time.Microsecond)
	for _, l := range b {
		l.done <- 1
	}
}
func collectBatch(in chan letter) {
	for l := range in {
		b := []letter{l}
		t := time.NewTimer(10 * time.Millisecond)
	more:
		for len(b) < 32 {
			if false {
				select {
				case l, ok := <-in:
					if !ok {
						break more
					}
					b = append(b, l)
				default:
					break more
				}
				continue
			}
			select {
			case l, ok := <-in:
				if !ok {
					break more
				}
				b = append(b, l)
			case <-t.C:
				break more
			}
		}
		t.Stop()
		flushBatch(b)
	}
}
func sender(in chan letter, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 50; i++ {
		l := letter{make(chan int, 1)}
		in <- l
		<-l.done
		burn(300 * time.Microsecond)
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		in := make(chan letter, 32)
		go collectBatch(in)
		var wg sync.WaitGroup
		for i := 0; i < 4; i++ {
			wg.Add(1)
			go sender(in, &wg)
		}
		wg.Wait()
		close(in)
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
