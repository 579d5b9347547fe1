// lostletters TRACE: writes the trace that tests/unit/test_causes_said.c reads: letters are handed out one by one; three have nobody to take them, and
// say nothing of how long one takes. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

func letter(taken, done chan bool) {
	time.Sleep(200 * time.Microsecond)
	taken <- true
	if done != nil {
		done <- true
	}
}
func main() {
	runtime.GOMAXPROCS(2)
	traced(os.Args[1], func() {
		for range 3 {
			go letter(make(chan bool), nil)
		}
		go func() {
			for range 120 {
				taken, done := make(chan bool, 1), make(chan bool, 1)
				go letter(taken, done)
				<-done
			}
		}()
		time.Sleep(200 * time.Millisecond)
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
