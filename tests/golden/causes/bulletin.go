// bulletin TRACE: writes the trace that tests/unit/test_causes.c reads: who wants to leave asks for the lock of the one that sends to it. Built with -trimpath.
package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

type board struct {
	sync.Mutex
	subs map[int]chan int
	n    int
}

func (b *board) publish(v int) {
	b.Lock()
	defer b.Unlock()
	for _, c := range b.subs {
		c <- v
		c <- v
	}
	b.n++
}

func (b *board) leave(id int) {
	b.Lock()
	defer b.Unlock()
	delete(b.subs, id)
}

func (b *board) read(id int, c chan int) {
	for v := range c {
		if id == 3 && v == 20 {
			b.leave(id)
			return
		}
	}
}

func (b *board) count() int {
	b.Lock()
	defer b.Unlock()
	return b.n
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	trace.Start(f)
	b := &board{subs: map[int]chan int{}}
	for i := 0; i < 5; i++ {
		c := make(chan int)
		b.subs[i] = c
		go b.read(i, c)
	}
	go func() {
		for v := 0; v < 100; v++ {
			b.publish(v)
			time.Sleep(5 * time.Millisecond)
		}
	}()
	for k := 0; k < 60; k++ {
		go func() { b.count() }()
		time.Sleep(10 * time.Millisecond)
	}
	trace.Stop()
	f.Close()
}
