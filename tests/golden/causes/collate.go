// collate TRACE: writes the trace that tests/unit/test_causes.c reads: gather takes results in page order from eight printers with channels of one: who is ahead waits for the slow page. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

func slowPage() { burn(8 * time.Millisecond) }
func printer(i int, out chan int) {
	for p := i; p < 400; p += 8 {
		if (p/8)%6 == i%6 {
			slowPage()
		} else {
			burn(700 * time.Microsecond)
		}
		out <- p
	}
	close(out)
}
func gather(c []chan int) int {
	s := 0
	for p := 0; p < 400; p++ {
		s += <-c[p%8]
	}
	return s
}
func main() {
	runtime.GOMAXPROCS(8)
	room := 0
	if false {
		room = 64
	}
	traced(os.Args[1], func() {
		var c []chan int
		for i := 0; i < 8; i++ {
			c = append(c, make(chan int, room))
			go printer(i, c[i])
		}
		gather(c)
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
