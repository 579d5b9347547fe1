// bargemen TRACE [clean]: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

// Three hand on barge after barge. Each takes little time for most of them, and long for one of eight, each for another one; without room
// between them all stand each time. Clean: there is room.
func dig(out chan<- int) {
	for n := 0; n < 240; n++ {
		load(n%8 == 1)
		out <- n
	}
	close(out)
}

func tow(in <-chan int, out chan<- int) {
	for n := range in {
		load(n%8 == 4)
		out <- n
	}
	close(out)
}

func unload(in <-chan int) {
	for n := range in {
		load(n%8 == 6)
	}
}

func load(long bool) {
	if long {
		busy(1600 * time.Microsecond)
	} else {
		busy(20 * time.Microsecond)
	}
}

func main() {
	runtime.GOMAXPROCS(6)
	room := 0
	if len(os.Args) > 2 {
		room = 32
	}
	traced(func() {
		a, b := make(chan int, room), make(chan int, room)
		go dig(a)
		go tow(a, b)
		unload(b)
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
