// lostpost TRACE: writes the trace that tests/unit/test_causes.c reads: one letter of forty is lost, and who sent it waits for the answer until its own timer is up. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

type letter chan int

func postman(in chan letter, stop chan int) {
	for n := 0; ; n++ {
		select {
		case l := <-in:
			for end := time.Now().Add(20 * time.Microsecond); time.Now().Before(end); {
			}
			if n%40 == 20 {
				continue // lost
			}
			l <- n
		case <-stop:
			return
		}
	}
}

func write(out chan letter) {
	for {
		l := make(letter, 1)
		out <- l
		t := time.NewTimer(30 * time.Millisecond)
		select {
		case <-l:
			t.Stop()
			return
		case <-t.C:
		}
	}
}

func correspondent(out chan letter, left *int64) {
	for atomic.AddInt64(left, -1) >= 0 {
		write(out)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	trace.Start(f)
	out, stop := make(chan letter, 16), make(chan int)
	var posts, all sync.WaitGroup
	left := int64(1200)
	for i := 0; i < 2; i++ {
		posts.Add(1)
		go func() { defer posts.Done(); postman(out, stop) }()
	}
	for i := 0; i < 6; i++ {
		all.Add(1)
		go func() { defer all.Done(); correspondent(out, &left) }()
	}
	all.Wait()
	close(stop)
	posts.Wait()
	trace.Stop()
	f.Close()
}
