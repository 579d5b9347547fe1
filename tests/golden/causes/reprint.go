// reprint TRACE: writes the trace that tests/unit/test_causes.c reads: one goroutine makes a whole list of prices anew each time one changes, and so
// keeps the collector at work. Built with -trimpath.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/trace"
	"time"
)

type price struct {
	name string
	tags []string
}

var list map[int]*price

func entry(i, edition int) *price {
	return &price{fmt.Sprintf("article %d, %d", i, edition), []string{"new", "sale"}}
}

func reprint(edition int) {
	m := make(map[int]*price)
	for i := 0; i < 40000; i++ {
		m[i] = entry(i, edition)
	}
	list = m
}

func main() {
	runtime.GOMAXPROCS(2)
	debug.SetGCPercent(40)
	reprint(0)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	done := make(chan bool)
	go func() {
		for e := 1; e < 8; e++ {
			reprint(e)
		}
		done <- true
	}()
	for over := false; !over; {
		select {
		case <-done:
			over = true
		case <-time.After(20 * time.Millisecond):
		}
	}
	trace.Stop()
	f.Close()
}
