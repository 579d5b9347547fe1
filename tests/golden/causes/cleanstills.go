// cleanstills TRACE: writes the trace that tests/unit/test_causes.c reads: stills that always find the next barrel waiting. What they do with it asks
// for the time of day again and again, where nothing can be preempted, so they are stopped where they take the next one. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func simmer(long time.Duration) {
	for t := time.Now(); time.Since(t) < long; {
	}
}

func mash(corn <-chan int, barrels chan<- int, over *sync.WaitGroup) {
	defer over.Done()
	for c := range corn {
		simmer(200 * time.Microsecond)
		barrels <- c
	}
}

func still(barrels <-chan int, over *sync.WaitGroup) {
	defer over.Done()
	for range barrels {
		simmer(220 * time.Microsecond)
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
	corn, barrels := make(chan int, 16), make(chan int, 16)
	var mashed, over sync.WaitGroup
	for i := 0; i < 2; i++ {
		mashed.Add(1)
		over.Add(1)
		go mash(corn, barrels, &mashed)
		go still(barrels, &over)
	}
	for i := 0; i < 1000; i++ {
		corn <- i
	}
	close(corn)
	mashed.Wait()
	close(barrels)
	over.Wait()
	trace.Stop()
	f.Close()
}
