// fountain TRACE CLEAN: writes the traces that tests/unit/test_causes.c reads: the fountain gives three cups each four milliseconds, for which nine carriers wait. CLEAN: it rings a bell then, and all nine hear it. Built with -trimpath.
package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

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

var sink int

func pour() {
	n := 0
	for i := 0; i < 20000; i++ {
		n += i * i
	}
	sink = n
}

type fountain struct{ cups []chan struct{} }

func (f *fountain) flow(each int) {
	for range time.Tick(4 * time.Millisecond) {
		for i := 0; i < each; i++ {
			select {
			case f.cups[i%len(f.cups)] <- struct{}{}:
			default:
			}
		}
	}
}

func (f *fountain) cup(carrier int) { <-f.cups[carrier%len(f.cups)] }

func (f *fountain) carry(carrier, times int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < times; i++ {
		f.cup(carrier)
		pour()
		time.Sleep(100 * time.Microsecond)
	}
}

func day(basins, each, times int) {
	f := &fountain{}
	for i := 0; i < basins; i++ {
		f.cups = append(f.cups, make(chan struct{}, 3))
	}
	go f.flow(each)
	var wg sync.WaitGroup
	for c := 0; c < 9; c++ {
		wg.Add(1)
		go f.carry(c, times, &wg)
	}
	wg.Wait()
}

func main() {
	traced(os.Args[1], func() { day(1, 3, 20) })
	traced(os.Args[2], func() { day(9, 9, 60) })
}
