// noticeboard TRACE: writes the trace that tests/unit/test_causes.c reads: what is pinned is hung by a timer that each pin sets anew. Built with -trimpath.
package main

import (
	"math/rand"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

var pause = []int{1, 1, 1, 2, 3}

type notices struct {
	mu    sync.Mutex
	timer *time.Timer
	wait  []chan bool
}

func (n *notices) hang() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.wait {
		close(c)
	}
	n.wait = nil
}

// pin waits until what it pins is hung, 4 ms after the last one that is pinned.
func (n *notices) pin() {
	c := make(chan bool)
	n.touch(c)
	<-c
}

func (n *notices) touch(c chan bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wait = append(n.wait, c)
	if n.timer == nil {
		n.timer = time.AfterFunc(4*time.Millisecond, n.hang)
	} else {
		n.timer.Reset(4 * time.Millisecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		n := &notices{}
		go func() {
			for k := 0; ; k++ {
				n.touch(make(chan bool))
				time.Sleep([]time.Duration{2, 7, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 7, 2, 2, 7}[k%17] * time.Millisecond)
			}
		}()
		var wg sync.WaitGroup
		for i := 0; i < 4; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				rng := rand.New(rand.NewSource(int64(i)))
				for k := 0; k < 16; k++ {
					n.pin()
					time.Sleep(time.Duration(pause[rng.Intn(len(pause))]) * time.Millisecond)
				}
			}()
		}
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
	if err := f.Close(); err != nil {
		panic(err)
	}
}
