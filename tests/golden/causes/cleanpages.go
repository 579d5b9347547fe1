// cleanpages TRACE: writes the trace that tests/unit/test_causes.c reads: eight pages at a court, each with a stool to wait at, carry a note on
// to one another; now and then there is one. Built with -trimpath.
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

type page struct {
	stool  chan int
	others []*page
	n      int
}

func (p *page) carry(left int) {
	busy(300 * time.Microsecond)
	if left > 0 {
		p.others[(p.n+left)%len(p.others)].stool <- left - 1
	}
}

func (p *page) wait(over <-chan struct{}, wg *sync.WaitGroup) {
	defer wg.Done()
	for {
		select {
		case left := <-p.stool:
			p.carry(left)
		case <-over:
			return
		}
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
	var ps []*page
	for i := 0; i < 8; i++ {
		ps = append(ps, &page{stool: make(chan int, 8), n: i})
	}
	over := make(chan struct{})
	var wg sync.WaitGroup
	for _, p := range ps {
		p.others = ps
		wg.Add(1)
		go p.wait(over, &wg)
	}
	for i := 0; i < 40; i++ {
		ps[i%8].stool <- 10
		time.Sleep(6 * time.Millisecond)
	}
	close(over)
	wg.Wait()
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
