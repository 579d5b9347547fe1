// visas TRACE: writes the trace that tests/unit/test_causes.c reads: contexts with a time limit that nobody cancels. Built with -trimpath.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/trace"
	"sync"
	"time"
)

type office struct {
	mu   sync.Mutex
	seen int
}

func (o *office) stamp(ctx context.Context) {
	ctx, _ = context.WithTimeout(ctx, 5*time.Millisecond)
	if ctx.Err() == nil {
		o.mu.Lock()
		o.seen++
		o.mu.Unlock()
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	debug.SetGCPercent(5)
	traced(os.Args[1], func() {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		o := &office{}
		var wg sync.WaitGroup
		for i := 0; i < 4; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for n := 0; n < 20; n++ {
					for m := 0; m < 20; m++ {
						o.stamp(ctx)
					}
					time.Sleep(time.Millisecond)
				}
			}()
		}
		wg.Wait()
		time.Sleep(6 * time.Millisecond)
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
	f.Close()
}
