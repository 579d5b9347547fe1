// relay TRACE: writes the trace that tests/unit/test_causes.c reads: five that stay are given a step each, and each time another of them has to look for its shoes. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

func runner(me int, step, done chan int) {
	for s := range step {
		if s%5 == me {
			findShoes()
		}
		burn(200 * time.Microsecond)
		done <- me
	}
}
func findShoes() { time.Sleep(2 * time.Millisecond) }
func runLeg(step []chan int, done chan int, leg int) {
	for _, c := range step {
		c <- leg
	}
	for range step {
		<-done
	}
}
func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		step, done := []chan int{}, make(chan int)
		for i := 0; i < 5; i++ {
			step = append(step, make(chan int))
			go runner(i, step[i], done)
		}
		for leg := 0; leg < 24; leg++ {
			runLeg(step, done, leg)
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
