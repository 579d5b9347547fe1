// deckhands TRACE: writes the trace that tests/unit/test_causes.c reads: lorries take most of a deck, cars little, first come first served. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type place struct {
	metres int
	next   chan bool
}

type deck struct {
	lock  sync.Mutex
	free  int
	queue []place
}

func (d *deck) board(metres int) {
	d.lock.Lock()
	if len(d.queue) == 0 && d.free >= metres {
		d.free -= metres
		d.lock.Unlock()
		return
	}
	p := place{metres, make(chan bool, 1)}
	d.queue = append(d.queue, p)
	d.lock.Unlock()
	<-p.next
}

func (d *deck) leave(metres int) {
	d.lock.Lock()
	d.free += metres
	for len(d.queue) > 0 && d.queue[0].metres <= d.free {
		d.free -= d.queue[0].metres
		d.queue[0].next <- true
		d.queue = d.queue[1:]
	}
	d.lock.Unlock()
}

func driver(d *deck, n int) {
	for i := 0; i < 24; i++ {
		m := 3
		if (n+i)%7 == 0 {
			m = 27
		}
		d.board(m)
		time.Sleep(time.Duration(1500+200*((n*7+i)%5)) * time.Microsecond)
		d.leave(m)
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	d := &deck{free: 30}
	f, _ := os.Create(os.Args[1])
	trace.Start(f)
	var wg sync.WaitGroup
	for i := 0; i < 14; i++ {
		wg.Add(1)
		go func(i int) { defer wg.Done(); driver(d, i) }(i)
	}
	wg.Wait()
	trace.Stop()
}
