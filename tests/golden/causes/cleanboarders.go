// cleanboarders TRACE: as boarders, but they stay to the end, silent: raises nothing. Built with -trimpath.
package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

func run(calls chan int) {
	for range calls {
		time.Sleep(50 * time.Microsecond)
	}
}

func board(leave chan struct{}) {
	calls := make(chan int)
	go run(calls)
	for i := 0; i < 4; i++ {
		time.Sleep(200 * time.Microsecond)
		calls <- i
	}
	<-leave
	close(calls)
}

func main() {
	traced(func() {
		var all sync.WaitGroup
		leave := make(chan struct{})
		for i := 0; i < 120; i++ {
			all.Add(1)
			go func() {
				defer all.Done()
				board(leave)
			}()
			time.Sleep(1500 * time.Microsecond)
		}
		time.Sleep(50 * time.Millisecond)
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
