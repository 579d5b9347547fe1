// parade TRACE: writes the trace that tests/unit/test_causes.c reads: floats are shown in the order they were asked for, four may be under way, and each twelfth takes long. Built with -trimpath.
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

type float struct {
	at  int
	out chan int
}

func ask(window, work chan *float, n int) {
	for i := 0; i < n; i++ {
		f := &float{i, make(chan int, 1)}
		window <- f
		work <- f
	}
	close(window)
	close(work)
}
func build(work chan *float, wg *sync.WaitGroup) {
	defer wg.Done()
	for f := range work {
		d := 150 * time.Microsecond
		if f.at%12 == 5 {
			d = 5 * time.Millisecond
		}
		burn(d)
		f.out <- f.at
	}
}
func march(window chan *float) {
	for f := range window {
		<-f.out
	}
}
func main() {
	runtime.GOMAXPROCS(5)
	traced(os.Args[1], func() {
		window, work, wg := make(chan *float, 4), make(chan *float), sync.WaitGroup{}
		go ask(window, work, 240)
		for i := 0; i < 4; i++ {
			wg.Add(1)
			go build(work, &wg)
		}
		march(window)
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
