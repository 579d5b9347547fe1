// rowers TRACE: writes the trace that tests/unit/test_causes.c reads: four rowers share four boats; who springs a leak leaves the boat where it
// is, until there are none, and each waits 10 ms and rents one elsewhere. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

type boats chan bool

var trips int32

func (b boats) take() bool {
	select {
	case <-b:
		return true
	case <-time.After(10 * time.Millisecond):
		return false
	}
}

func (b boats) row() {
	own := b.take()
	time.Sleep(300 * time.Microsecond)
	if atomic.AddInt32(&trips, 1)%20 == 0 {
		return // leaks
	}
	if own {
		b <- true
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
	b := make(boats, 4)
	for i := 0; i < 3; i++ {
		b <- true
	}
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 40; n++ {
				b.row()
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
