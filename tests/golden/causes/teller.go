// teller TRACE: writes the trace that tests/unit/test_causes.c reads: three clerks ask the one goroutine that has the accounts for each entry.
// Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

type question struct {
	i      int
	answer chan int
}

func keep(box chan question) {
	entries := make([]int, 100)
	for q := range box {
		q.answer <- entries[q.i]
	}
}

func entry(box chan question, answer chan int, i int) int {
	box <- question{i, answer}
	return <-answer
}

func add(box chan question) (sum int) {
	answer := make(chan int)
	for i := 0; i < 400; i++ {
		sum += entry(box, answer, i%100)
	}
	return sum
}

func main() {
	runtime.GOMAXPROCS(2)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	box := make(chan question)
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	go keep(box)
	for k := 0; k < 3; k++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			add(box)
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
