// tasks: a kitchen that annotates what it does. An order is a task, its dishes are tasks below it; cooks mark regions,
// one within another, and log. One order is never finished.
package main

import (
	"context"
	"flag"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

type dish struct {
	ctx  context.Context
	end  func()
	name string
	wg   *sync.WaitGroup
}

func work(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

func cook(orders <-chan dish, done *sync.WaitGroup) {
	defer done.Done()
	for d := range orders {
		trace.WithRegion(d.ctx, "cook", func() {
			trace.WithRegion(d.ctx, "chop", func() { work(80 * time.Microsecond) })
			r := trace.StartRegion(d.ctx, "simmer")
			time.Sleep(300 * time.Microsecond)
			r.End()
			trace.Logf(d.ctx, "taste", "%s needs salt", d.name)
		})
		d.end()
		d.wg.Done()
	}
}

func order(n int, orders chan<- dish, all *sync.WaitGroup) {
	defer all.Done()
	ctx, task := trace.NewTask(context.Background(), "order")
	trace.Log(ctx, "table", string(rune('A'+n%26)))
	var wg sync.WaitGroup
	for _, name := range []string{"soup", "crêpe", "tea"} {
		dctx, dtask := trace.NewTask(ctx, "dish "+name)
		wg.Add(1)
		orders <- dish{dctx, dtask.End, name, &wg}
	}
	trace.WithRegion(ctx, "wait for dishes", wg.Wait)
	if n != 3 { // the order that nobody closes
		task.End()
	}
}

func main() {
	out := flag.String("o", "tasks.trace", "the trace's file")
	n := flag.Int("orders", 14, "orders")
	flag.Parse()

	f, err := os.Create(*out)
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	orders := make(chan dish)
	var cooks, all sync.WaitGroup
	for i := 0; i < 3; i++ {
		cooks.Add(1)
		go cook(orders, &cooks)
	}
	for i := 0; i < *n; i++ {
		all.Add(1)
		go order(i, orders, &all)
	}
	all.Wait()
	close(orders)
	cooks.Wait()
	trace.StartRegion(context.Background(), "left open")
	trace.Stop()
	f.Close()
}
