// lamplighter TRACE: writes the trace that tests/unit/test_causes.c reads: one of five watches ends at once, and is begun again at once. Built with -trimpath.
package main

import (
	"errors"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

var mu sync.Mutex
var served int

func watch(id int, stop chan struct{}) error {
	if id == 2 {
		for s := time.Now(); time.Since(s) < 2*time.Microsecond; {
		}
		return errors.New("no such device")
	}
	t := time.NewTicker(4 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			for s := time.Now(); time.Since(s) < 300*time.Microsecond; {
			}
			mu.Lock()
			served++
			mu.Unlock()
		case <-stop:
			return nil
		}
	}
}

func supervise(id int, stop chan struct{}) {
	for {
		done := make(chan error, 1)
		go func() { done <- watch(id, stop) }()
		if err := <-done; err == nil {
			return
		}
	}
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	trace.Start(f)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := 0; i < 5; i++ {
		i := i
		wg.Add(1)
		go func() { defer wg.Done(); supervise(i, stop) }()
	}
	time.Sleep(16 * time.Millisecond)
	close(stop)
	time.Sleep(2 * time.Millisecond)
	trace.Stop()
	f.Close()
}
