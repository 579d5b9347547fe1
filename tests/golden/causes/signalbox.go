// signalbox TRACE: writes the trace that tests/unit/test_causes.c reads: the signalman looks for trains in two selects, one within the
// default of the other, and never waits, while those that bring them have to calculate. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

func spell(n int) uint64 {
	h := uint64(n)
	for i := 0; i < 100000; i++ {
		h = h*6364136223846793005 + 1442695040888963407
		h ^= h >> 29
	}
	return h
}

func signalman(express, local <-chan uint64, out chan<- uint64, home <-chan bool) {
	for {
		select {
		case t := <-express:
			out <- t
		default:
			select {
			case t := <-local:
				out <- t
			case <-home:
				return
			default:
			}
		}
	}
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
	express, local, out, home := make(chan uint64, 8), make(chan uint64, 8), make(chan uint64, 64), make(chan bool)
	go signalman(express, local, out, home)
	go func() {
		for t := range out {
			spell(int(t))
		}
	}()
	var drivers sync.WaitGroup
	for k := 0; k < 3; k++ {
		drivers.Add(1)
		go func() {
			defer drivers.Done()
			for i := 0; i < 300; i++ {
				local <- spell(i)
			}
		}()
	}
	drivers.Wait()
	close(home)
	trace.Stop()
	f.Close()
}
