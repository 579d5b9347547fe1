// granary TRACE: writes the trace that tests/unit/test_causes.c reads: five bakers take a sack each from eight, a miller all eight at once, and
// who comes first gets first. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type order struct {
	sacks int
	ready chan struct{}
}
type granary struct {
	mu    sync.Mutex
	free  int
	queue []order
}

func (g *granary) take(sacks int) {
	g.mu.Lock()
	if g.free >= sacks && len(g.queue) == 0 {
		g.free -= sacks
		g.mu.Unlock()
		return
	}
	o := order{sacks, make(chan struct{})}
	g.queue = append(g.queue, o)
	g.mu.Unlock()
	<-o.ready
}

func (g *granary) giveBack(sacks int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free += sacks
	for len(g.queue) > 0 && g.free >= g.queue[0].sacks {
		g.free -= g.queue[0].sacks
		close(g.queue[0].ready)
		g.queue = g.queue[1:]
	}
}

func bake(g *granary) {
	for i := 0; i < 24; i++ {
		g.take(1)
		time.Sleep(time.Millisecond)
		g.giveBack(1)
		time.Sleep(500 * time.Microsecond)
	}
}

func mill(g *granary) {
	for i := 0; i < 12; i++ {
		g.take(8)
		time.Sleep(2 * time.Millisecond)
		g.giveBack(8)
		time.Sleep(2 * time.Millisecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		g := &granary{free: 8}
		var wg sync.WaitGroup
		for b := 0; b < 5; b++ {
			wg.Add(1)
			go func() { defer wg.Done(); bake(g) }()
		}
		wg.Add(1)
		go func() { defer wg.Done(); mill(g) }()
		wg.Wait()
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
