// registry TRACE: writes the trace that tests/unit/test_causes.c reads: one clerk makes a call for each entry, however many wait. Built with
// -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
)

type entry struct{ done chan bool }

func clerk(in chan entry) {
	for e := range in {
		ts := syscall.NsecToTimespec(1e6)
		syscall.Nanosleep(&ts, nil)
		e.done <- true
	}
}

func enter(in chan entry) {
	e := entry{make(chan bool, 1)}
	in <- e
	<-e.done
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
	in := make(chan entry, 16)
	go clerk(in)
	var wg sync.WaitGroup
	for w := 0; w < 6; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 12; i++ {
				enter(in)
				time.Sleep(200 * time.Microsecond)
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
