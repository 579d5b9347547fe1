// lamps TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

// A guard stands by each lamp until its night is over; nobody ends a night.
func guard(ctx context.Context) {
	go func() {
		<-ctx.Done()
	}()
}

func light() {
	ctx, cancel := context.WithCancel(context.Background())
	_ = cancel
	guard(ctx)
}

func main() {
	runtime.GOMAXPROCS(2)
	traced(func() {
		for i := 0; i < 60; i++ {
			light()
			time.Sleep(time.Millisecond)
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
