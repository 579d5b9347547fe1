// counters TRACE [even]: writes the traces that tests/unit/test_causes.c reads: five counters of an office, each with a queue of its own; at
// one of them all parcels are weighed, or (even) all have as much to do. Built with -trimpath.
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

type letter struct {
	parcel bool
	stamp  chan bool
}

func hand(queue chan letter, parcel bool) {
	l := letter{parcel, make(chan bool, 1)}
	queue <- l
	<-l.stamp
}

func counter(queue chan letter, even bool, wg *sync.WaitGroup) {
	defer wg.Done()
	for l := range queue {
		if even {
			burn(220 * time.Microsecond)
		} else if l.parcel {
			weigh()
		} else {
			burn(40 * time.Microsecond)
		}
		l.stamp <- true
	}
}

func weigh() { time.Sleep(1500 * time.Microsecond) }

func main() {
	runtime.GOMAXPROCS(8)
	even := len(os.Args) > 2
	traced(os.Args[1], func() {
		var queue [5]chan letter
		var clerks, people sync.WaitGroup
		for i := range queue {
			queue[i] = make(chan letter)
			clerks.Add(1)
			go counter(queue[i], even, &clerks)
		}
		for p := 0; p < 5; p++ {
			people.Add(1)
			go func() {
				defer people.Done()
				for i := 0; i < 48; i++ {
					parcel := i%8 == 7
					at := (i + p) % 4
					if even {
						at = (i + p) % 5
					} else if parcel {
						at = 4
					}
					hand(queue[at], parcel)
					burn(100 * time.Microsecond)
				}
			}()
		}
		people.Wait()
		for _, q := range queue {
			close(q)
		}
		clerks.Wait()
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
