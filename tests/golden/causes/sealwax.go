// sealwax TRACE: writes the trace that tests/unit/test_causes.c reads: one goroutine seals each letter, writes it down and lets the wax cool. Built with -trimpath.
package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

type letter struct{ sealed chan struct{} }

func seal(book *os.File, in chan letter) {
	for l := range in {
		book.WriteString("sealed\n")
		time.Sleep(1500 * time.Microsecond)
		close(l.sealed)
	}
}

func send(in chan letter) {
	for k := 0; k < 12; k++ {
		l := letter{make(chan struct{})}
		in <- l
		<-l.sealed
	}
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	book, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	trace.Start(f)
	in := make(chan letter, 16)
	go seal(book, in)
	var wg sync.WaitGroup
	for i := 0; i < 10; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); send(in) }()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
