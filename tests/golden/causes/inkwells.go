// inkwells TRACE: writes the trace that tests/unit/test_causes.c reads: who spills doesn't put the inkwell back, until none is left. Built with -trimpath.
package main

import (
	"os"
	"runtime/trace"
	"time"
)

var wells = make(chan int, 4)

func write(n int) {
	w := <-wells
	time.Sleep(2 * time.Millisecond)
	if n == 60 || n == 110 || n == 160 || n == 200 {
		return
	}
	wells <- w
}

func pupil(id int) {
	for k := 0; k < 40; k++ {
		write(id + k*8)
	}
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	trace.Start(f)
	for i := 0; i < 4; i++ {
		wells <- i
	}
	for i := 0; i < 8; i++ {
		i := i
		go pupil(i)
	}
	time.Sleep(320 * time.Millisecond)
	trace.Stop()
	f.Close()
}
