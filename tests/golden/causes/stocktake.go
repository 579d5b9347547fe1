// stocktake TRACE: writes the trace that tests/unit/test_causes.c reads: one goroutine holds all shelves until it has counted the last. Built with -trimpath.
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

var shelves [8]sync.Mutex

func count() {
	for i := range shelves {
		shelves[i].Lock()
		defer shelves[i].Unlock()
		burn(500 * time.Microsecond)
	}
}

func take(i int) {
	shelves[i%len(shelves)].Lock()
	burn(20 * time.Microsecond)
	shelves[i%len(shelves)].Unlock()
}

func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		wg.Add(9)
		go func() {
			defer wg.Done()
			for i := 0; i < 12; i++ {
				count()
				time.Sleep(2 * time.Millisecond)
			}
		}()
		for k := 0; k < 8; k++ {
			k := k
			go func() {
				defer wg.Done()
				for i := 0; i < 60; i++ {
					take(k)
					time.Sleep(200 * time.Microsecond)
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
