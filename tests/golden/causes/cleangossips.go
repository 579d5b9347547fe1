// cleangossips TRACE: writes the trace that tests/unit/test_causes.c reads: six gossips write to each other now and then, and each looks for
// letters of its own for 20 ms at a time. Built with -trimpath.
package main

import (
	"math/rand"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type gossip struct {
	letters chan int
	friends []*gossip
}

func (g *gossip) read(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-g.letters:
		return true
	case <-t.C:
		return false
	}
}

func (g *gossip) live(wg *sync.WaitGroup) {
	defer wg.Done()
	for day := 0; day < 25; day++ {
		select {
		case g.friends[rand.Intn(len(g.friends))].letters <- day:
		default:
		}
		for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); {
			g.read(time.Until(end))
		}
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var gs []*gossip
	for i := 0; i < 6; i++ {
		gs = append(gs, &gossip{letters: make(chan int, 4)})
	}
	var wg sync.WaitGroup
	for _, g := range gs {
		g.friends = gs
		wg.Add(1)
		go g.live(&wg)
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
