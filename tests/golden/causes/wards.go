// wards TRACE: writes the trace that tests/unit/test_causes_said.c reads: goroutines that are begun one after the other, and soon done, wait for a
// nurse from some moment on, half of them until their time is up. As many wait as are there, which is few of all that come. Built with
// -trimpath.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func lie(ill bool, nurse chan bool, done *sync.WaitGroup) {
	defer done.Done()
	if !ill {
		time.Sleep(3 * time.Millisecond)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	select {
	case <-nurse:
	case <-ctx.Done():
	}
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
	nurse := make(chan bool)
	var done sync.WaitGroup
	for i := 0; i < 150; i++ {
		done.Add(1)
		go lie(i >= 60, nurse, &done)
		time.Sleep(time.Millisecond)
		if i >= 60 && i%2 == 0 {
			nurse <- true
		}
	}
	done.Wait()
	trace.Stop()
	f.Close()
}
