// fortuneteller TRACE: writes the trace that tests/unit/test_causes.c reads: each customer gives up after 4 ms, none is ever answered in
// time, and the teller reads on from the cards. Go 1.25, built with -trimpath.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

func readCards(answer chan string) {
	for card := 0; card < 15; card++ {
		for end := time.Now().Add(time.Millisecond); time.Now().Before(end); {
		}
	}
	select {
	case answer <- "soon":
	default:
	}
}

func ask() {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Millisecond)
	defer cancel()
	answer := make(chan string, 1)
	go readCards(answer)
	select {
	case <-answer:
	case <-ctx.Done():
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	traced(os.Args[1], func() {
		for customer := 0; customer < 24; customer++ {
			ask()
		}
	})
}

// traced writes the trace of work.
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
