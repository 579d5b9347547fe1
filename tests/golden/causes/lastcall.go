// lastcall TRACE: writes the trace that tests/unit/test_causes.c reads: at the end the bar waits 400 ms for one who was not told of it. Built with -trimpath.
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

type bar struct {
	in   chan int
	quit chan int
	done chan int
	wg   sync.WaitGroup
}

func (b *bar) pour() {
	defer b.wg.Done()
	for {
		select {
		case x := <-b.in:
			burn(time.Duration(x) * time.Microsecond)
		case <-b.quit:
			return
		}
	}
}
func (b *bar) listen(bell chan int) {
	defer b.wg.Done()
	if fixed {
		select {
		case <-bell:
		case <-b.quit:
		}
		return
	}
	<-bell
}
func (b *bar) close() {
	close(b.quit)
	all := make(chan int)
	go func() { b.wg.Wait(); close(all) }()
	select {
	case <-all:
	case <-time.After(300 * time.Millisecond):
	}
}

var fixed = len(os.Args) > 2

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		b := &bar{in: make(chan int), quit: make(chan int)}
		bell := make(chan int)
		for i := 0; i < 3; i++ {
			b.wg.Add(1)
			go b.pour()
		}
		b.wg.Add(1)
		go b.listen(bell)
		for i := 0; i < 300; i++ {
			b.in <- 300
		}
		b.close()
		close(bell)
		time.Sleep(time.Millisecond)
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
