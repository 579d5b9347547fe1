// cleanbeacon TRACE: writes the trace that tests/unit/test_causes.c reads: a beacon flashes every 10 ms, four watchers write it down, each in a
// function that its goroutine only calls. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type watcher struct {
	flash chan int
	seen  int
}

func (w *watcher) watch() {
	for n := range w.flash {
		w.seen += n
	}
}

func beacon(ws []*watcher, out <-chan struct{}) {
	t := time.NewTicker(10 * time.Millisecond)
	defer t.Stop()
	for n := 0; ; n++ {
		select {
		case <-t.C:
			for _, w := range ws {
				w.flash <- n
			}
		case <-out:
			for _, w := range ws {
				close(w.flash)
			}
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
	var ws []*watcher
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		w := &watcher{flash: make(chan int, 4)}
		ws = append(ws, w)
		wg.Add(1)
		go func() {
			defer wg.Done()
			w.watch()
		}()
	}
	out := make(chan struct{})
	go beacon(ws, out)
	time.Sleep(500 * time.Millisecond)
	close(out)
	wg.Wait()
	trace.Stop()
	f.Close()
}
