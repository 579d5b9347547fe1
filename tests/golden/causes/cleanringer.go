// cleanringer TRACE: writes the trace that tests/unit/test_causes.c reads: three ring and wait for an answer or a limit, one ring behind the other. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func ring() bool { // begun beside, so that who rings can give up
	answer := make(chan bool, 1)
	go func() {
		time.Sleep(time.Millisecond)
		answer <- true
	}()
	select {
	case <-answer:
		return true
	case <-time.After(50 * time.Millisecond):
		return false
	}
}

func bind(chapters int) {
	for i := 0; i < chapters; i++ {
		ring()
	}
}

func binder(orders <-chan int, done *sync.WaitGroup) {
	defer done.Done()
	for n := range orders {
		bind(n)
		time.Sleep(500 * time.Microsecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		orders := make(chan int)
		var done sync.WaitGroup
		for i := 0; i < 3; i++ {
			done.Add(1)
			go binder(orders, &done)
		}
		for i := 0; i < 18; i++ {
			orders <- 7
		}
		close(orders)
		done.Wait()
	})
}

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
	if err := f.Close(); err != nil {
		panic(err)
	}
}
