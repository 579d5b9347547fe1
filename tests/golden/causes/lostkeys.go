// lostkeys TRACE: writes the trace that tests/unit/test_causes.c reads: who finds the room dirty goes away with the key. Built with -trimpath.
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

var keys = make(chan int, 6)

func rest(guest, i int) {
	keys <- 1
	burn(200 * time.Microsecond)
	if i == 9 && guest%2 == 1 {
		return
	}
	burn(600 * time.Microsecond)
	<-keys
}
func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for g := 0; g < 10; g++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 24; i++ {
					rest(g, i)
					burn(50 * time.Microsecond)
				}
			}()
		}
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
