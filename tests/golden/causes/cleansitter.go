// cleansitter TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Now and then a child process is started to look whether all is well; the rest is work of its own.
func lookAfter(end time.Time) {
	for time.Now().Before(end) {
		if err := exec.Command("/bin/true").Run(); err != nil {
			panic(err)
		}
		time.Sleep(25 * time.Millisecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		end := time.Now().Add(700 * time.Millisecond)
		var wg sync.WaitGroup
		wg.Add(2)
		go func() { defer wg.Done(); lookAfter(end) }()
		go func() {
			defer wg.Done()
			for time.Now().Before(end) {
				busy(10 * time.Millisecond)
				time.Sleep(3 * time.Millisecond)
			}
		}()
		wg.Wait()
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

