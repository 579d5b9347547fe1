// oracles TRACE: writes the trace that tests/unit/test_causes.c reads: pilgrims sleep most of the time; when they ask, they wait for one of two
// oracles for most of what is left. Go 1.25.
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
	oracles := make(chan int, 2)
	oracles <- 1
	oracles <- 2
	traced(func() {
		sideBySide(16, func(i int) {
			time.Sleep(time.Duration(i) * 200 * time.Microsecond)
			for k := 0; k < 10; k++ {
				ask(oracles)
				time.Sleep(28 * time.Millisecond)
			}
		})
	})
}

func ask(oracles chan int) {
	o := <-oracles
	compute(5 * time.Millisecond)
	oracles <- o
}

func sideBySide(n int, f func(i int)) {
	var w sync.WaitGroup
	for i := 0; i < n; i++ {
		w.Add(1)
		go func(i int) { defer w.Done(); f(i) }(i)
	}
	w.Wait()
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
