// lampman TRACE: writes the trace that tests/unit/test_causes.c reads: who lights the lamps goes home at a broken one, and the carriers stand. Built with -trimpath.
package main

import (
	"errors"
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

var lamps = make(chan int, 4)

func light(n int) error {
	if n == 77 {
		return errors.New("broken")
	}
	runtime.Gosched()
	return nil
}
func lampman() {
	for n := range lamps {
		if light(n) != nil {
			return
		}
	}
}
func carry(n int) { lamps <- n }
func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		go lampman()
		for c := range 12 {
			go func() {
				for i := range 60 {
					carry(c + 12*i)
					time.Sleep(4 * time.Millisecond)
				}
			}()
		}
		time.Sleep(150 * time.Millisecond)
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
