// ropewalk TRACE: writes the trace that tests/unit/test_helper.c reads (with Go 1.27). Jobs begin in a helper that is given them, and are
// interrupted in a function that has no frame; watchers only wait for the end, then call what they were given; ops run what comes.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

var all sync.WaitGroup

// hire runs a job in a goroutine of its own.
func hire(job func()) {
	all.Add(1)
	go func() {
		defer all.Done()
		job()
	}()
}

// watch calls what it is given when the day is over.
func watch(over chan bool, tell func()) {
	all.Add(1)
	go func() {
		defer all.Done()
		select {
		case <-over:
		case <-time.After(time.Minute):
		}
		tell()
	}()
}

// serve runs what comes.
func serve(ops chan func()) {
	defer all.Done()
	for op := range ops {
		op()
	}
}

//go:noinline
func pull(n int) int { // a leaf: it has no frame
	for i := 0; i < 1000; i++ {
		n += n ^ i
	}
	return n
}

var length [8]int

func twist() {
	for until := time.Now().Add(60 * time.Millisecond); time.Now().Before(until); {
		for i := 0; i < 5000; i++ {
			length[0] = pull(length[0])
		}
	}
	time.Sleep(time.Millisecond)
}

func lay() {
	for until := time.Now().Add(60 * time.Millisecond); time.Now().Before(until); {
		for i := 0; i < 5000; i++ {
			length[1] = pull(length[1])
		}
	}
	time.Sleep(time.Millisecond)
}

func ring()    { time.Sleep(time.Millisecond) }
func whistle() { time.Sleep(2 * time.Millisecond) }
func tar()     { time.Sleep(time.Millisecond) }
func wax()     { time.Sleep(time.Millisecond) }

func main() {
	runtime.GOMAXPROCS(2)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	over := make(chan bool)
	watch(over, ring)
	watch(over, whistle)
	for _, op := range []func(){tar, wax} {
		ops := make(chan func())
		all.Add(1)
		go serve(ops)
		for i := 0; i < 2; i++ {
			time.Sleep(3 * time.Millisecond)
			ops <- op
		}
		close(ops)
	}
	for i := 0; i < 2; i++ {
		hire(twist)
		hire(lay)
	}
	time.Sleep(100 * time.Millisecond)
	close(over)
	all.Wait()
	trace.Stop()
}
