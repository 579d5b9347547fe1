// cleantorch TRACE: writes the trace that tests/unit/test_causes.c reads: ten runners hand a torch on round and round, each to the next. Now and then
// the next one is not yet waiting, and comes for it. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
)

func run(meters int) int {
	h := meters
	for i := 0; i < 15000; i++ {
		h = h*31 + i
	}
	return h
}

var far int

func runner(from <-chan int, to chan<- int, home chan<- bool) {
	for left := range from {
		far += run(left)
		if left == 0 {
			close(home)
			return
		}
		to <- left - 1
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
	const n = 10
	var torch [n]chan int
	for i := range torch {
		torch[i] = make(chan int)
	}
	home := make(chan bool)
	for i := range torch {
		go runner(torch[i], torch[(i+1)%n], home)
	}
	torch[0] <- 2000
	<-home
	trace.Stop()
	f.Close()
}
