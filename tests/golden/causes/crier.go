// crier TRACE: writes the trace that tests/unit/test_causes.c reads: now and then all goroutines' stacks are printed, and the world stops
// for it. Go 1.21, whose stops have no stack.
package main

import (
	"log"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

func main() {
	runtime.GOMAXPROCS(8)
	stop := make(chan struct{})
	for i := 0; i < 1000; i++ {
		go listen(stop)
	}
	traced(func() {
		var w sync.WaitGroup
		for i := 0; i < 6; i++ {
			w.Add(1)
			go func() {
				defer w.Done()
				for k := 0; k < 10; k++ {
					compute(3 * time.Millisecond)
					cry()
				}
			}()
		}
		w.Wait()
	})
	close(stop)
}

func listen(stop chan struct{}) { <-stop }

func cry() int {
	b := make([]byte, 1<<19)
	return runtime.Stack(b, true)
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	work()
	trace.Stop()
	f.Close()
}

// compute keeps the P busy for d.
func compute(d time.Duration) {
	for end, left := time.Now().Add(d), d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
