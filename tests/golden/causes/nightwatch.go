// nightwatch TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

// Each guest gets a watchman, and nobody sends one home; by and by they take a good part of the processors.
func watch(quit chan bool) {
	t := time.NewTicker(10 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			busy(150 * time.Microsecond)
		case <-quit:
			return
		}
	}
}

func letIn() {
	go watch(make(chan bool))
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		for i := 0; i < 60; i++ {
			letIn()
			time.Sleep(4 * time.Millisecond)
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
