// cleanswarm TRACE: writes the trace that tests/unit/test_causes.c reads: 900 goroutines, each of which takes one of four oars, rows and puts it back.
// Go 1.27.
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
	oars := make(chan struct{}, 4)
	traced(func() {
		var w sync.WaitGroup
		for i := 0; i < 900; i++ {
			w.Add(1)
			go func() {
				defer w.Done()
				oars <- struct{}{}
				compute(150 * time.Microsecond)
				<-oars
			}()
		}
		w.Wait()
	})
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
