// cloakroom TRACE: writes the trace that tests/unit/test_causes.c reads: one of two doors closes, and who stands at both never rests again. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

func door(n int, pause time.Duration) <-chan int {
	c := make(chan int)
	go func() {
		defer close(c)
		for i := 0; i < n; i++ {
			time.Sleep(pause)
			c <- i
		}
	}()
	return c
}

func stand(front, back <-chan int, done chan<- int) {
	guests := 0
	for guests < 60 {
		select {
		case _, open := <-front:
			if open {
				guests++
			}
		case <-back:
			guests++
		}
	}
	done <- guests
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
	done := make(chan int)
	go stand(door(10, 2*time.Millisecond), door(60, 6*time.Millisecond), done)
	<-done
	trace.Stop()
	if err := f.Close(); err != nil {
		panic(err)
	}
}
