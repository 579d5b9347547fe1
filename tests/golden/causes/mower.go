// mower TRACE: writes the trace that tests/unit/test_causes.c reads: one goroutine has the lawn for a millisecond and takes it again as soon as
// it has given it back; five others want it for a moment. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

var lawn sync.Mutex

func mow(rows int) {
	for i := 0; i < rows; i++ {
		lawn.Lock()
		burn(800 * time.Microsecond)
		lawn.Unlock()
	}
}

func play(done *bool) {
	for !*done {
		lawn.Lock()
		burn(10 * time.Microsecond)
		lawn.Unlock()
		time.Sleep(200 * time.Microsecond)
	}
}

func main() {
	runtime.GOMAXPROCS(6)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		var done bool
		for c := 0; c < 5; c++ {
			wg.Add(1)
			go func() { defer wg.Done(); play(&done) }()
		}
		time.Sleep(2 * time.Millisecond)
		mow(100)
		done = true
		wg.Wait()
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
