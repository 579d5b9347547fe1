// cuckoo TRACE: writes the trace that tests/unit/test_causes.c reads. Who waits for the nest gives its processor up and looks again.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

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

type nest struct{ taken atomic.Bool }

func (n *nest) take() {
	for !n.taken.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
}

func (n *nest) leave() { n.taken.Store(false) }

func main() {
	traced(os.Args[1], func() {
		var n nest
		var wg sync.WaitGroup
		for w := 0; w < 5; w++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 3; i++ {
					n.take()
					time.Sleep(200 * time.Microsecond)
					n.leave()
				}
			}()
		}
		wg.Wait()
	})
}
