// notaries TRACE [clean]: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

// Each deed is written and kept by the device for itself, under the lock, while seven more wait to do the same. Clean: who has the lock keeps
// all that have been written by then.
type archive struct {
	mu      sync.Mutex
	file    *os.File
	written int
	syncing sync.Mutex
	kept    int
}

func (a *archive) enter(deed []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.file.Write(deed)
	a.file.Sync()
}

func (a *archive) enterMany(deed []byte) {
	a.mu.Lock()
	a.file.Write(deed)
	a.written++
	mine := a.written
	a.mu.Unlock()
	a.syncing.Lock()
	defer a.syncing.Unlock()
	if a.kept < mine {
		a.mu.Lock()
		all := a.written
		a.mu.Unlock()
		a.file.Sync()
		a.kept = all
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.CreateTemp("", "deeds")
	if err != nil {
		panic(err)
	}
	defer os.Remove(f.Name())
	a := &archive{file: f}
	enter := a.enter
	if len(os.Args) > 2 {
		enter = a.enterMany
	}
	deed := make([]byte, 3000)
	traced(func() {
		var wg sync.WaitGroup
		for i := 0; i < 8; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for n := 0; n < 6; n++ {
					enter(deed)
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
