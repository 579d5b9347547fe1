// blotters TRACE: writes the trace that tests/unit/test_causes.c reads, with Go 1.21: each entry in one of three books is blotted (fsync) before the next,
// and the merchant waits for room on the desks. Built with -trimpath.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

func enter(book *os.File, n int) {
	fmt.Fprintln(book, "entry", n)
	book.Sync()
}

func bookkeeper(desk <-chan int) {
	book, err := os.CreateTemp(".", "book")
	if err != nil {
		panic(err)
	}
	defer os.Remove(book.Name())
	for n := range desk {
		enter(book, n)
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
	var all sync.WaitGroup
	var desks []chan int
	for i := 0; i < 3; i++ {
		desk := make(chan int, 16)
		desks = append(desks, desk)
		all.Add(1)
		go func() { defer all.Done(); bookkeeper(desk) }()
	}
	for n := 0; n < 360; n++ {
		desks[n%3] <- n
	}
	for _, desk := range desks {
		close(desk)
	}
	all.Wait()
	trace.Stop()
	f.Close()
}
