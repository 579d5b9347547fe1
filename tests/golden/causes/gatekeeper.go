// gatekeeper TRACE: writes the trace that tests/unit/test_causes.c reads: one keeper opens the gate every millisecond, and sweeps the yard now
// and then, while all stand before it. Built with -trimpath; the trace is compressed (gzip -9).
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

type gate chan struct{}

func (g gate) open() {
	for i := 0; i < 3; i++ {
		select {
		case g <- struct{}{}:
		default:
			return
		}
	}
}

func (g gate) pass() { <-g }

func sweep() {
	for end := time.Now().Add(22 * time.Millisecond); time.Now().Before(end); {
	}
}

func keeper(g gate) {
	for i := 1; ; i++ {
		time.Sleep(time.Millisecond)
		g.open()
		if i%10 == 0 {
			sweep()
		}
	}
}

func stroller(g gate, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 50; i++ {
		g.pass()
		burn(100 * time.Microsecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		g := make(gate, 3)
		go keeper(g)
		for i := 0; i < 3; i++ {
			wg.Add(1)
			go stroller(g, &wg)
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
