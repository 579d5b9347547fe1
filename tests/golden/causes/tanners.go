// tanners TRACE: writes the trace that tests/unit/test_causes.c reads: a helper begins the goroutines of two stages; those of the first wait to hand
// their hides to the two that tan. Go 1.27.
package main

import (
	"log"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

func main() {
	runtime.GOMAXPROCS(8)
	traced(func() {
		fresh, scraped, tanned := make(chan int), make(chan int), make(chan int)
		go func() {
			for i := 0; i < 120; i++ {
				compute(200 * time.Microsecond)
				fresh <- i
			}
			close(fresh)
		}()
		stage(2, func() { scrape(fresh, scraped) }, func() { close(scraped) })
		stage(2, func() { tan(scraped, tanned) }, func() { close(tanned) })
		for range tanned {
			compute(100 * time.Microsecond)
		}
	})
}

func stage(n int, work, end func()) {
	var w sync.WaitGroup
	for i := 0; i < n; i++ {
		w.Add(1)
		go func() { defer w.Done(); work() }()
	}
	go func() { w.Wait(); end() }()
}

func scrape(in, out chan int) {
	for v := range in {
		compute(500 * time.Microsecond)
		out <- v
	}
}

func tan(in, out chan int) {
	for v := range in {
		compute(3 * time.Millisecond)
		out <- v
	}
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	work()
	trace.Stop()
	f.Close()
}

// compute keeps the P busy for d.
func compute(d time.Duration) {
	for end, left := time.Now().Add(d), d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
