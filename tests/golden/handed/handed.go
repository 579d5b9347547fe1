// handed.go - tasks that are handed from goroutine to goroutine, in several ways, and where their time went as the
// program itself measured it: `handed WAY TRACE` writes the trace, and the sums to standard output.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

type job struct {
	ctx        context.Context
	task       *trace.Task
	sent       time.Time
	taken      time.Time
	left       int32
	reply      chan *job
	begun, end time.Time
}

var mu sync.Mutex
var sums = map[string]time.Duration{}

func add(what string, d time.Duration) { mu.Lock(); sums[what] += d; mu.Unlock() }

//go:noinline
func work(d time.Duration) {
	for t := time.Now(); time.Since(t) < d; {
	}
}

//go:noinline
func ask(d time.Duration) { time.Sleep(d) }

func begin(name string) *job {
	ctx, task := trace.NewTask(context.Background(), name)
	return &job{ctx: ctx, task: task, begun: time.Now()}
}

func (j *job) handle(name string, d time.Duration) {
	t := time.Now()
	add("queued", t.Sub(j.sent))
	trace.WithRegion(j.ctx, name, func() { ask(d) })
	add(name, time.Since(t))
}

func (j *job) done() { j.task.End(); add("all", time.Since(j.begun)) }

// A reader, a channel with room, two workers: the third and fourth of a burst wait for the first two.
func pool() {
	ch := make(chan *job, 16)
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go worker(ch, &wg)
	}
	for burst := 0; burst < 5; burst++ {
		for i := 0; i < 4; i++ {
			j := begin("order")
			t := time.Now()
			work(time.Millisecond)
			add("read", time.Since(t))
			j.sent = time.Now()
			ch <- j
		}
		time.Sleep(60 * time.Millisecond)
	}
	close(ch)
	wg.Wait()
}

func worker(ch chan *job, wg *sync.WaitGroup) {
	for j := range ch {
		j.handle("handle", 20*time.Millisecond)
		j.done()
	}
	wg.Done()
}

// Three stages, each woken by the one before: the last one ends the task.
func stages() {
	a, b, c := make(chan *job), make(chan *job), make(chan *job)
	var wg sync.WaitGroup
	wg.Add(3)
	go stage("parse", 3*time.Millisecond, a, b, &wg)
	go stage("store", 9*time.Millisecond, b, c, &wg)
	go stage("answer", 6*time.Millisecond, c, nil, &wg)
	for i := 0; i < 10; i++ {
		j := begin("order")
		j.sent = time.Now()
		a <- j
		time.Sleep(25 * time.Millisecond)
	}
	close(a)
	wg.Wait()
}

func stage(name string, d time.Duration, in, out chan *job, wg *sync.WaitGroup) {
	for j := range in {
		j.handle(name, d)
		j.sent = time.Now()
		if out != nil {
			out <- j
		} else {
			j.done()
		}
	}
	if out != nil {
		close(out)
	}
	wg.Done()
}

// A goroutine for each, two at a time: who reads waits for a place, then begins it.
func sem() {
	places := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for i := 0; i < 12; i++ {
		j := begin("order")
		j.sent = time.Now()
		places <- struct{}{}
		wg.Add(1)
		go func() {
			j.handle("handle", 10*time.Millisecond)
			<-places
			work(2 * time.Millisecond)
			j.done()
			wg.Done()
		}()
	}
	wg.Wait()
}

// Two work for a task at once; the one that is done last ends it.
func fanout() {
	var wg sync.WaitGroup
	for i := 0; i < 10; i++ {
		j := begin("order")
		j.left = 2
		j.sent = time.Now()
		wg.Add(2)
		for _, d := range []time.Duration{4, 18} {
			d, name := d*time.Millisecond, map[bool]string{true: "slow", false: "quick"}[d > 10]
			go func() {
				j.handle(name, d)
				if atomic.AddInt32(&j.left, -1) == 0 {
					j.done()
				}
				wg.Done()
			}()
		}
		time.Sleep(30 * time.Millisecond)
	}
	wg.Wait()
}

// One that begins and ends them all, and does many at once; helpers that the trace knows of nothing do the work.
func hub() {
	in, back := make(chan *job, 8), make(chan *job, 8)
	for i := 0; i < 8; i++ {
		go helper(in)
	}
	next := time.NewTicker(10 * time.Millisecond)
	for begun, ended := 0, 0; ended < 20; {
		select {
		case <-next.C:
			if begun < 20 {
				j := begin("order")
				j.reply = back
				begun++
				in <- j
			}
		case j := <-back:
			j.done()
			ended++
		}
	}
}

func helper(in chan *job) {
	for j := range in {
		t := time.Now()
		ask(15 * time.Millisecond)
		add("helped", time.Since(t))
		j.reply <- j
	}
}

// A queue with a lock and a condition.
type queue struct {
	mu   sync.Mutex
	cond *sync.Cond
	v    []*job
}

func (q *queue) put(j *job) {
	q.mu.Lock()
	q.v = append(q.v, j)
	q.mu.Unlock()
	q.cond.Signal()
}

func (q *queue) get() *job {
	q.mu.Lock()
	for len(q.v) == 0 {
		q.cond.Wait()
	}
	j := q.v[0]
	q.v = q.v[1:]
	q.mu.Unlock()
	return j
}

func cond() {
	q := &queue{}
	q.cond = sync.NewCond(&q.mu)
	var wg sync.WaitGroup
	wg.Add(24)
	for i := 0; i < 2; i++ {
		go func() {
			for {
				j := q.get()
				j.handle("handle", 10*time.Millisecond)
				j.done()
				wg.Done()
			}
		}()
	}
	for burst := 0; burst < 6; burst++ {
		for i := 0; i < 4; i++ {
			j := begin("order")
			j.sent = time.Now()
			q.put(j)
		}
		time.Sleep(40 * time.Millisecond)
	}
	wg.Wait()
}

func main() {
	f, _ := os.Create(os.Args[2])
	trace.Start(f)
	map[string]func(){"pool": pool, "stages": stages, "sem": sem, "fanout": fanout, "hub": hub, "cond": cond}[os.Args[1]]()
	trace.Stop()
	f.Close()
	for k, v := range sums {
		fmt.Printf("%-8s %v\n", k, v.Round(10*time.Microsecond))
	}
}
