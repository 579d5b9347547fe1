// couriers TRACE: writes the trace that tests/unit/test_causes.c reads: a second rider is sent when the first is not back soon, which none is, and the first to be back counts. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type stable chan int

func (s stable) ride(news chan int, letter int) {
	horse := <-s
	time.Sleep(2 * time.Millisecond)
	s <- horse
	news <- letter
}

func (s stable) send(letter int) int {
	news := make(chan int, 2)
	go s.ride(news, letter)
	patience := time.NewTimer(500 * time.Microsecond)
	defer patience.Stop()
	for {
		select {
		case n := <-news:
			return n
		case <-patience.C:
			go s.ride(news, letter)
		}
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		s := make(stable, 4)
		for horse := range 4 {
			s <- horse
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for letter := range 20 {
					s.send(letter)
				}
			})
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
