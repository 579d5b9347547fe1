// cleanstalled TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath, run with GODEBUG=asyncpreemptoff=1.
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

// Many goroutines with tickers of their own, due at other moments each, for half of what the processors can do. Twice three of the four
// processors stand still for a while, as the host makes them do, and all that is due meanwhile queues.
func tick(i int, end time.Time) {
	time.Sleep(time.Duration(i*170) * time.Microsecond)
	t := time.NewTicker(time.Duration(20+i%7) * time.Millisecond)
	defer t.Stop()
	for time.Now().Before(end) {
		<-t.C
		busy(360 * time.Microsecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		end := time.Now().Add(800 * time.Millisecond)
		var wg sync.WaitGroup
		for i := 0; i < 120; i++ {
			wg.Add(1)
			go func() { defer wg.Done(); tick(i, end) }()
		}
		for i := 0; i < 3; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for k := 0; k < 2; k++ {
					time.Sleep(200 * time.Millisecond)
					busy(60 * time.Millisecond)
				}
			}()
		}
		wg.Wait()
	})
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
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

// busy keeps the P for d without the processor.
func busy(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
