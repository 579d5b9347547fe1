// weighbridge TRACE: writes the trace that tests/unit/test_causes.c reads: who watches waits in a raw system call, which keeps the processor. Built with -trimpath.
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

type bridge struct {
	fd int
}

func (b *bridge) weigh() { // the runtime is not told
	t := syscall.NsecToTimespec(7e6)
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), 0, 0)
}

func (b *bridge) watch(quit chan int) {
	for {
		select {
		case <-quit:
			return
		default:
		}
		syscall.Write(b.fd, []byte("weigh"))
		b.weigh()
	}
}

func carter(loads int, wg *sync.WaitGroup) {
	defer wg.Done()
	for range loads {
		time.Sleep(time.Millisecond)
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	fd, err := syscall.Open(os.DevNull, syscall.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		quit := make(chan int)
		for range 2 {
			b := &bridge{fd}
			go b.watch(quit)
		}
		for range 4 {
			wg.Add(1)
			go carter(20, &wg)
		}
		wg.Wait()
		close(quit)
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
