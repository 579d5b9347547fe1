// drowsy TRACE: writes the trace that tests/unit/test_causes.c reads. Who takes the lines sleeps after each of them.
package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

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

type board struct{ lines chan int }

func (b *board) show() {
	for range b.lines {
		time.Sleep(3 * time.Millisecond)
	}
}

func (b *board) tell(n int) { b.lines <- n }

func main() {
	traced(os.Args[1], func() {
		b := &board{make(chan int)}
		go b.show()
		var wg sync.WaitGroup
		for w := 0; w < 5; w++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for n := 0; n < 10; n++ {
					b.tell(n)
				}
			}()
		}
		wg.Wait()
	})
}
