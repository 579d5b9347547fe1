// latebell TRACE: writes the trace that tests/unit/test_causes.c reads: letters are stamped after a pause of a millisecond, which lasts
// as long as the sorters have all processors. Built with -trimpath.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

var sink uint64

//go:noinline
func sortBag(n int) uint64 {
	v := uint64(n)
	for end := time.Now().Add(30 * time.Millisecond); time.Now().Before(end); {
		for i := 0; i < 20000; i++ {
			v ^= v<<13 ^ v>>7
		}
	}
	return v
}

func stamp(ctx context.Context) {
	_, task := trace.NewTask(ctx, "letter")
	defer task.End()
	time.Sleep(time.Millisecond)
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
	var all sync.WaitGroup
	all.Add(1)
	go func() {
		defer all.Done()
		for i := 0; i < 90; i++ {
			stamp(context.Background())
		}
	}()
	for bag := 0; bag < 4; bag++ {
		time.Sleep(25 * time.Millisecond)
		var bags sync.WaitGroup
		for i := 0; i < 4; i++ {
			bags.Add(1)
			go func(i int) {
				defer bags.Done()
				sink += sortBag(i)
			}(i)
		}
		bags.Wait()
	}
	all.Wait()
	trace.Stop()
	f.Close()
}
