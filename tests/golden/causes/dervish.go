// dervish TRACE: writes the trace that tests/unit/test_causes.c reads: a lock of the program's own that spins, held while its owner sleeps.
// Go 1.25, built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

type whirl struct{ taken uint32 }

func (w *whirl) lock() {
	for !atomic.CompareAndSwapUint32(&w.taken, 0, 1) {
	}
}

func dance(w *whirl) {
	for step := 0; step < 3; step++ {
		w.lock()
		time.Sleep(70 * time.Millisecond)
		atomic.StoreUint32(&w.taken, 0)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		w := &whirl{}
		var wg sync.WaitGroup
		for i := 0; i < 2; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				dance(w)
			}()
		}
		wg.Wait()
	})
}

// traced writes the trace of work.
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
