// scrivener TRACE: writes the trace that tests/unit/test_causes.c reads: letters come slowly, then faster than the one who copies them can. Built with -trimpath.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

func copyOut(f *os.File, letter int) {
	burn(400 * time.Microsecond)
	fmt.Fprintln(f, letter)
}

func scrivener(f *os.File, letters chan int, wg *sync.WaitGroup) {
	defer wg.Done()
	for l := range letters {
		copyOut(f, l)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		letters := make(chan int, 500)
		wg.Add(1)
		go scrivener(f, letters, &wg)
		for i := 0; i < 150; i++ {
			letters <- i
			if i < 30 {
				time.Sleep(1200 * time.Microsecond)
			} else if i%8 == 0 {
				time.Sleep(200 * time.Microsecond)
			}
		}
		close(letters)
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
