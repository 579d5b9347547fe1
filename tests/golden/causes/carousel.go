// carousel TRACE: writes the trace that tests/unit/test_causes.c reads: three stages in a ring stand on each other for good, each to send to the next; one that feeds them stands behind. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

type item struct{ n, hops int }

func parse(in, out chan item) {
	for x := range in {
		burn(50 * time.Microsecond)
		x.hops++
		out <- x
	}
}
func resolve(in, out chan item) {
	for x := range in {
		burn(50 * time.Microsecond)
		out <- x
	}
}
func emit(in, again chan item, done chan int) {
	for x := range in {
		burn(30 * time.Microsecond)
		if x.hops < 3 {
			again <- x
		} else {
			done <- x.n
		}
	}
}

var fixed = len(os.Args) > 2

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		n := 4
		if fixed {
			n = 4096
		}
		a, b, c, done := make(chan item, n), make(chan item, n), make(chan item, n), make(chan int, 4096)
		go parse(a, b)
		go resolve(b, c)
		go emit(c, a, done)
		go func() {
			for i := 0; i < 1000; i++ {
				a <- item{n: i}
				if i < 60 {
					time.Sleep(2 * time.Millisecond)
				} else {
					burn(10 * time.Microsecond)
				}
			}
		}()
		for i := 0; i < 220; i++ {
			burn(500 * time.Microsecond)
			time.Sleep(500 * time.Microsecond)
		}
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
