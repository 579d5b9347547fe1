// boatmen TRACE CLEAN: writes the traces that tests/unit/test_causes.c reads: the tide table gets old, and all boatmen who find it so ask the harbour office, which answers one after the other; the last waits longer than the table is good for. CLEAN: one asks, and the others go by the old one. Built with -trimpath.
package main

import (
	"os"
	"runtime"
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

var questions = make(chan chan int, 64)

func office() {
	for q := range questions {
		time.Sleep(1500 * time.Microsecond)
		q <- 1
	}
}

func askOffice() {
	answer := make(chan int, 1)
	questions <- answer
	<-answer
}

type tides struct {
	sync.Mutex
	good   time.Time
	one    bool
	asking bool
}

func (t *tides) look() {
	t.Lock()
	old := time.Now().After(t.good) && !(t.one && t.asking)
	t.asking = t.asking || old
	t.Unlock()
	if !old {
		return
	}
	askOffice()
	t.Lock()
	t.good, t.asking = time.Now().Add(17*time.Millisecond), false
	t.Unlock()
}

func row(t *tides, trips int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < trips; i++ {
		t.look()
		time.Sleep(600 * time.Microsecond)
	}
}

func day(one bool) {
	t, wg := &tides{one: one}, sync.WaitGroup{}
	for i := 0; i < 14; i++ {
		wg.Add(1)
		go row(t, 60, &wg)
	}
	wg.Wait()
}

func main() {
	runtime.GOMAXPROCS(4)
	go office()
	traced(os.Args[1], func() { day(false) })
	traced(os.Args[2], func() { day(true) })
}
