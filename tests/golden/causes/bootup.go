// bootup TRACE: writes the trace that tests/unit/test_causes.c reads: parts are made ready one after the other, then requests are served side by side, some of them slowly. Built with -trimpath.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type part struct{ n int }

func (p *part) compile() {
	for i := 0; i < 12; i++ {
		p.n += i
		burn(time.Millisecond)
	}
}

func readyAll(ps []part) {
	for i := range ps {
		ps[i].compile()
	}
}

func request(in chan int) {
	for i := range in {
		ctx, t := trace.NewTask(context.Background(), "request")
		trace.WithRegion(ctx, "answer", func() { burn(time.Duration(400+i%25/24*5000) * time.Microsecond) })
		t.End()
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
	trace.WithRegion(context.Background(), "start", func() { readyAll(make([]part, 6)) })
	in := make(chan int)
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); request(in) }()
	}
	for i := 0; i < 400; i++ {
		in <- i
	}
	close(in)
	wg.Wait()
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
