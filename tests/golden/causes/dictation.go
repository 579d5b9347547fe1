// dictation TRACE: writes the trace that tests/unit/test_causes.c reads: six write to a pipe under one lock, and what reads it is slow. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type desk struct {
	mu sync.Mutex
	w  *os.File
}

func (d *desk) dictate(page []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.w.Write(page)
}

func scribe(r *os.File) {
	page := make([]byte, 64<<10)
	for {
		if _, err := r.Read(page); err != nil {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	go scribe(r)
	traced(os.Args[1], func() {
		d := &desk{w: w}
		var wg sync.WaitGroup
		for i := 0; i < 6; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for n := 0; n < 8; n++ {
					d.dictate(make([]byte, 48<<10))
				}
			}()
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
