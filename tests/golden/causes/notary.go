// notary TRACE: writes the trace that tests/unit/test_causes.c reads: three clerks have one goroutine put each word of a deed into its book alone, and
// wait for each; between two deeds they sleep for a third of their lives. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type word struct {
	n    int
	done chan struct{}
}

type book struct {
	words chan word
	sum   int
}

func (b *book) keep() {
	for w := range b.words {
		b.sum += w.n
		w.done <- struct{}{}
	}
}

func (b *book) put(n int) {
	w := word{n, make(chan struct{})}
	b.words <- w
	<-w.done
}

func (b *book) deed() {
	for i := 0; i < 260; i++ {
		b.put(i)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	b := &book{words: make(chan word)}
	go b.keep()
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for k := 0; k < 3; k++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 2; i++ {
				b.deed()
				time.Sleep(300 * time.Microsecond)
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
