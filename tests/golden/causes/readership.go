// A paper's readership: each reader takes a copy of every number from now on, and nobody takes those off the list that have moved away.
package main

import (
	"flag"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

type paper struct {
	mu      sync.Mutex
	readers []chan int
}

//go:noinline
func (p *paper) subscribe() {
	c := make(chan int, 1)
	p.mu.Lock()
	p.readers = append(p.readers, c)
	p.mu.Unlock()
	go func() {
		for range c {
		}
	}()
}

//go:noinline
func (p *paper) deliver(number int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.readers {
		select {
		case c <- number:
		default:
		}
	}
}

func main() {
	out := flag.String("o", "readership.trace", "")
	flag.Parse()
	f, _ := os.Create(*out)
	trace.Start(f)
	p := &paper{}
	for i := 0; i < 60; i++ {
		p.subscribe()
		p.deliver(i)
		time.Sleep(3 * time.Millisecond)
	}
	trace.Stop()
}
