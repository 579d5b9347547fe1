// coachmen TRACE: writes the trace that tests/unit/test_causes_said.c reads: six are asked at a time; one is slow, and another is asked in his place once the patience is up. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func drive(way time.Duration) chan bool {
	there := make(chan bool, 1)
	go func() {
		time.Sleep(way)
		there <- true
	}()
	return there
}

func deliver(i int) {
	way := 2 * time.Millisecond
	if i == 4 {
		way = 30 * time.Millisecond
	}
	select {
	case <-drive(way):
	case <-time.After(6 * time.Millisecond):
		<-drive(2 * time.Millisecond)
	}
}

func round() {
	var all sync.WaitGroup
	for i := 0; i < 6; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			deliver(i)
		}(i)
	}
	all.Wait()
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		for i := 0; i < 24; i++ {
			round()
		}
	})
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
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
