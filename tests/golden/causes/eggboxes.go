// eggboxes TRACE: writes the trace that tests/unit/test_causes.c reads: four goroutines are dealt boxes in turn, and each fourth box is heavy. Built
// with -trimpath.
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

func packer(boxes <-chan int, wg *sync.WaitGroup) {
	defer wg.Done()
	for b := range boxes {
		pack(b)
	}
}

func pack(b int) {
	if b%4 == 0 {
		burn(4 * time.Millisecond)
	} else {
		burn(600 * time.Microsecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	var belts [4]chan int
	for i := range belts {
		belts[i] = make(chan int, 100)
		wg.Add(1)
		go packer(belts[i], &wg)
	}
	for b := 0; b < 160; b++ {
		belts[b%4] <- b
	}
	for _, b := range belts {
		close(b)
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}

// burn keeps the processor for d: the thread sleeps in a call that the runtime is not told of.
func burn(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
