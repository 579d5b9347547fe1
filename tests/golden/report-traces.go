// report-traces MODE FILE: writes the trace report-MODE.trace, on which a rule of triage must speak (quiet: none may).
// Go 1.27, CGO_ENABLED=0, -trimpath; GOMAXPROCS=2, for above 8.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
)

var sink int
var keep [][]byte

func spin(d time.Duration) {
	t := time.Now()
	for time.Since(t) < d {
		for i := 0; i < 1000; i++ {
			sink += i & 1
		}
	}
}

func herd() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	next, n := 0, 24
	var wg sync.WaitGroup
	for i := 0; i < n; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			for next != i {
				c.Wait()
			}
			mu.Unlock()
		}()
	}
	for i := 0; i < n; i++ {
		time.Sleep(500 * time.Microsecond)
		mu.Lock()
		next = i
		c.Broadcast()
		mu.Unlock()
	}
	time.Sleep(time.Millisecond)
	wg.Wait()
}

func worker(in chan time.Duration, wg *sync.WaitGroup) {
	defer wg.Done()
	for d := range in {
		spin(d)
	}
}

func unbalanced() {
	var wg sync.WaitGroup
	var ch []chan time.Duration
	for i := 0; i < 4; i++ {
		c := make(chan time.Duration, 8)
		ch = append(ch, c)
		wg.Add(1)
		go worker(c, &wg)
	}
	for i := 0; i < 40; i++ {
		ch[0] <- time.Millisecond
		if i%10 == 0 {
			ch[1+i/10%3] <- time.Millisecond
		}
	}
	for _, c := range ch {
		close(c)
	}
	wg.Wait()
}

func below() {
	var wg sync.WaitGroup
	for i := 0; i < 12; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); spin(6 * time.Millisecond) }()
	}
	wg.Wait()
}

func stuck() {
	var a, b sync.Mutex
	lock2 := func(x, y *sync.Mutex) {
		x.Lock()
		time.Sleep(2 * time.Millisecond)
		y.Lock()
	}
	go lock2(&a, &b)
	go lock2(&b, &a)
	time.Sleep(20 * time.Millisecond)
}

func bottleneck() {
	out := make(chan int)
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 12; k++ {
				out <- k
			}
		}()
	}
	go func() { wg.Wait(); close(out) }()
	for range out {
		spin(200 * time.Microsecond)
	}
}

type node struct{ p *node }

var root [][]*node
var tmp []*node

func starve() {
	n := &node{}
	for i := 0; i < 48; i++ {
		b := make([]*node, 1<<16)
		for k := range b {
			b[k] = n
		}
		root = append(root, b)
	}
	debug.SetGCPercent(4)
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 24; k++ {
				tmp = make([]*node, 1<<14)
			}
		}()
	}
	wg.Wait()
}

func grow() {
	debug.SetGCPercent(40)
	for i := 0; i < 40; i++ {
		keep = append(keep, make([]byte, 1<<20))
		spin(200 * time.Microsecond)
	}
}

func slow() {
	for i := 0; i < 16; i++ {
		_, t := trace.NewTask(context.Background(), "order")
		if i == 11 {
			time.Sleep(9 * time.Millisecond)
		}
		spin(100 * time.Microsecond)
		t.End()
	}
}

func forgotten(c chan int) { <-c }

// 12 goroutines wait for ever, and 5 for a lock that is held through a system call.
func leak() {
	c := make(chan int)
	for i := 0; i < 12; i++ {
		go forgotten(c)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := 0; i < 5; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 20; k++ {
				mu.Lock()
				sink++
				mu.Unlock()
				time.Sleep(time.Millisecond)
			}
		}()
	}
	for i := 0; i < 3; i++ {
		time.Sleep(4 * time.Millisecond)
		mu.Lock()
		ts := syscall.NsecToTimespec(5e6)
		syscall.Nanosleep(&ts, nil)
		mu.Unlock()
	}
	wg.Wait()
}

func tiny(wg *sync.WaitGroup) { wg.Done() }

func churn() {
	for i := 0; i < 12; i++ {
		var wg sync.WaitGroup
		wg.Add(100)
		for k := 0; k < 100; k++ {
			go tiny(&wg)
		}
		wg.Wait()
	}
}

func quiet() {
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 20; k++ {
				spin(200 * time.Microsecond)
				time.Sleep(300 * time.Microsecond)
			}
		}()
	}
	wg.Wait()
}

func main() {
	m := map[string]func(){"herd": herd, "unbalanced": unbalanced, "below": below, "stuck": stuck, "bottleneck": bottleneck,
		"starve": starve, "grow": grow, "slow": slow, "quiet": quiet, "leak": leak, "churn": churn, "above": func() { spin(120 * time.Millisecond) }}
	f, _ := os.Create(os.Args[2])
	if os.Args[1] == "starve" {
		debug.SetGCPercent(-1)
	}
	trace.Start(f)
	m[os.Args[1]]()
	trace.Stop()
	f.Close()
}
