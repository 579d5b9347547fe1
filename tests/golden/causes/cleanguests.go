// cleanguests TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

// Guests come, stay for a while with next to nothing to do, and leave.
func guest(leave chan int) {
	<-leave
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		leave := make(chan int)
		for i := 0; i < 1050; i++ {
			go guest(leave)
		}
		time.Sleep(100 * time.Millisecond)
		close(leave)
		busy(20 * time.Millisecond)
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
