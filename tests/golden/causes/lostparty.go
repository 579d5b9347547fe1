// lostparty TRACE: writes the trace that tests/unit/test_causes.c reads. Two of three hosts wait for guests that never sign off.
package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

func guest(n int, wg *sync.WaitGroup) {
	time.Sleep(200 * time.Microsecond)
	if n%3 != 0 {
		return // does not sign off
	}
	wg.Done()
}

func invite(n int) {
	var wg sync.WaitGroup
	wg.Add(1)
	go guest(n, &wg)
	go func() { wg.Wait() }()
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	for n := 0; n < 60; n++ {
		invite(n)
		time.Sleep(time.Millisecond)
	}
	trace.Stop()
}
