// Turnkeys: 24 of them take cells from one that hands them out, and write each into the one book of the house, quickly: who is let at
// it has to be woken first, and that is most of the time for which it is taken. With -fixed=false they sleep over it.
package main

import (
	"flag"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

var fixed = flag.Bool("fixed", true, "")

type book struct{ mu sync.Mutex }

func work(us int) {
	for t := time.Now(); time.Since(t) < time.Duration(us)*time.Microsecond; {
	}
}

//go:noinline
func (h *book) enter(n int) {
	if *fixed {
		time.Sleep(800 * time.Microsecond)
		h.mu.Lock()
		work(10)
		h.mu.Unlock()
		return
	}
	h.mu.Lock()
	time.Sleep(800 * time.Microsecond)
	work(10)
	h.mu.Unlock()
}

func main() {
	out := flag.String("o", "turnkeys.trace", "")
	flag.Parse()
	f, _ := os.Create(*out)
	trace.Start(f)
	t := time.Now()
	h := &book{}
	ch := make(chan int)
	var wg sync.WaitGroup
	for i := 0; i < 24; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range ch {
				h.enter(n)
				work(100)
			}
		}()
	}
	for i := 0; i < 600; i++ {
		work(40)
		ch <- i
	}
	close(ch)
	wg.Wait()
	trace.Stop()
	println(time.Since(t).String())
}
