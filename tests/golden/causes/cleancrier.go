// cleancrier TRACE: writes the trace that tests/unit/test_causes.c reads: a crier hands each of 150 citizens every notice, which each of them reads.
// They queue then, but each has what it was woken for. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func read(notice int) {
	for t := time.Now(); time.Since(t) < 5*time.Microsecond; {
	}
}

func citizen(notices <-chan int, home *sync.WaitGroup) {
	defer home.Done()
	for n := range notices {
		read(n)
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var home sync.WaitGroup
	citizens := make([]chan int, 150)
	for i := range citizens {
		citizens[i] = make(chan int, 2)
		home.Add(1)
		go citizen(citizens[i], &home)
	}
	for n := 0; n < 15; n++ {
		time.Sleep(3 * time.Millisecond)
		for _, c := range citizens {
			c <- n
		}
	}
	for _, c := range citizens {
		close(c)
	}
	home.Wait()
	trace.Stop()
	f.Close()
}
