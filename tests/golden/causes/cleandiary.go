// cleandiary TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

// Each entry is appended. Some are longer than others, from the middle on all are a third longer, and the machine is busy meanwhile.
func write(i int) {
	_, task := trace.NewTask(context.Background(), "day")
	defer task.End()
	d := time.Duration(200+i*37%100) * time.Microsecond
	if i >= 40 {
		d += d / 3
	}
	if i > 60 && i < 64 {
		d *= 20
	}
	busy(d)
	os.Stat("/")
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		for i := 0; i < 80; i++ {
			write(i)
			time.Sleep(100 * time.Microsecond)
		}
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

