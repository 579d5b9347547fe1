// lock: a bank. Clerks move money between accounts behind one lock, an auditor holds it far too long, tellers read
// under a read lock, and a courier waits on a condition. What contention on a lock looks like.
package main

import (
	"flag"
	"io"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"time"
)

type bank struct {
	mu       sync.Mutex
	accounts [16]int
	rates    sync.RWMutex
	rate     int
	letters  *sync.Cond
	outbox   int
	closed   bool
}

func spin(n int) (x int) {
	for i := 0; i < n; i++ {
		x += i ^ x>>3
	}
	return
}

func (b *bank) clerk(id, transfers int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < transfers; i++ {
		b.mu.Lock()
		b.accounts[(id+i)%16]--
		b.accounts[(id*3+i)%16]++
		spin(60000)
		b.mu.Unlock()
		spin(10000)
		if i%8 == 0 {
			b.letters.L.Lock()
			b.outbox++
			b.letters.L.Unlock()
			b.letters.Signal()
		}
	}
}

func (b *bank) auditor(visits int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < visits; i++ {
		time.Sleep(time.Millisecond)
		b.mu.Lock()
		time.Sleep(3 * time.Millisecond) // asleep with the lock in hand
		b.mu.Unlock()
		b.rates.Lock()
		b.rate++
		b.rates.Unlock()
	}
}

func (b *bank) teller(questions int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < questions; i++ {
		b.rates.RLock()
		spin(40000 + b.rate)
		b.rates.RUnlock()
	}
}

func (b *bank) courier(done chan<- int) {
	n := 0
	b.letters.L.Lock()
	for !b.closed {
		for b.outbox > 0 {
			b.outbox--
			n++
		}
		b.letters.Wait()
	}
	b.letters.L.Unlock()
	done <- n
}

func main() {
	out := flag.String("o", "lock.trace", "the trace's file")
	clerks := flag.Int("clerks", 6, "goroutines that want the lock")
	transfers := flag.Int("transfers", 200, "times each takes it")
	cpu := flag.Bool("cpu", false, "run the CPU profiler: its samples are in the trace")
	flag.Parse()

	f, err := os.Create(*out)
	if err != nil {
		panic(err)
	}
	b := &bank{letters: sync.NewCond(&sync.Mutex{})}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	if *cpu {
		if err := pprof.StartCPUProfile(io.Discard); err != nil {
			panic(err)
		}
		defer pprof.StopCPUProfile()
	}
	done := make(chan int)
	go b.courier(done)
	var wg sync.WaitGroup
	wg.Add(*clerks + 1 + 2)
	go b.auditor(12, &wg)
	for i := 0; i < 2; i++ {
		go b.teller(*transfers, &wg)
	}
	for i := 0; i < *clerks; i++ {
		go b.clerk(i, *transfers, &wg)
	}
	wg.Wait()
	b.letters.L.Lock()
	b.closed = true
	b.letters.L.Unlock()
	b.letters.Signal()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
	trace.Stop()
	f.Close()
}
