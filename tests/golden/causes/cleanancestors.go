// cleanancestors TRACE: writes the trace that tests/unit/test_causes.c reads: who asks for a family tree asks for each parent's in turn and waits
// for it, down to the books, which take their time. All begin in one function, and nothing is passed round. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

func traceBack(generations, seed int, found chan<- bool) {
	if generations == 0 {
		time.Sleep(time.Duration(seed%7+1) * 300 * time.Microsecond) // the book of births
		found <- true
		return
	}
	parent := make(chan bool)
	for i := 0; i < 1+seed%3; i++ {
		go traceBack(generations-1, seed*3+i, parent)
		<-parent
	}
	found <- true
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
	found := make(chan bool)
	for i := 0; i < 8; i++ {
		go traceBack(4, i+1, found)
	}
	for i := 0; i < 8; i++ {
		<-found
	}
	trace.Stop()
	f.Close()
}
