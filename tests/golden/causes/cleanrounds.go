// cleanrounds TRACE: as banquet, but only uneven as work is: raises nothing. Built with -trimpath.
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

func course(i int) { burn(time.Duration(400+i*7919%11*60) * time.Microsecond) }
func serveTable(n int) {
	var wg sync.WaitGroup
	for i := 0; i < 6; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); course(n*6 + i) }()
	}
	wg.Wait()
}
func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		for i := 0; i < 24; i++ {
			serveTable(i)
		}
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
