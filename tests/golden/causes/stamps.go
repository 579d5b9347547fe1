// stamps TRACE: writes the trace that tests/unit/test_causes.c reads: clerks sleep after each letter while six wait to hand them more. Built with -trimpath.
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

type letter int

func stamp(in chan letter, wg *sync.WaitGroup) {
	defer wg.Done()
	for range in {
		burn(100 * time.Microsecond)
		if !fixed {
			time.Sleep(1500 * time.Microsecond)
		}
	}
}

var fixed = len(os.Args) > 2

func post(in chan letter, n int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < n; i++ {
		burn(20 * time.Microsecond)
		in <- letter(i)
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		in := make(chan letter, 8)
		var wg, ws sync.WaitGroup
		for i := 0; i < 3; i++ {
			ws.Add(1)
			go stamp(in, &ws)
		}
		for i := 0; i < 6; i++ {
			wg.Add(1)
			go post(in, 40, &wg)
		}
		wg.Wait()
		close(in)
		ws.Wait()
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
