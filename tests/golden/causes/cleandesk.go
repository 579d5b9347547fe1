// cleandesk TRACE: writes a trace like the one that tests/unit/test_causes.c reads: five goroutines ask a sixth, which answers quickly, but for the
// moments at which the host, busy with other things, has its thread stopped. Go 1.27.
package main

import (
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

var out string

func hActor() {
	type msg struct{ reply chan int }
	in := make(chan msg, 16)
	go func() {
		for m := range in {
			compute(us(80))
			m.reply <- 1
		}
	}()
	traced(func() {
		var wg fanout
		wg.each(5, func(i int) {
			r := make(chan int, 1)
			for k := 0; k < 120; k++ {
				in <- msg{r}
				<-r
				compute(ms(2))
			}
		})
	})
}

func traced(work func()) {
	f, err := os.Create(out)
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	began := time.Now()
	work()
	took := time.Since(began)
	trace.Stop()
	f.Close()
	fmt.Printf("wall_ms=%.1f\n", took.Seconds()*1e3)
}

func compute(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}

func us(n int) time.Duration { return time.Duration(n) * time.Microsecond }

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

type fanout struct{ sync.WaitGroup }

func (w *fanout) each(n int, f func(i int)) {
	for i := 0; i < n; i++ {
		w.Add(1)
		go func(i int) { defer w.Done(); f(i) }(i)
	}
	w.Wait()
}

func main() {
	out = os.Args[1]
	runtime.GOMAXPROCS(8)
	hActor()
}
