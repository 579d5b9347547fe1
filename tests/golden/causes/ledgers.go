// ledgers TRACE: writes the trace that tests/unit/test_causes.c reads: one takes key after key and gives all back at its end, and eight wait. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type keys struct{ free chan int }

func (k *keys) take() int      { return <-k.free }
func (k *keys) giveBack(n int) { k.free <- n }

func (k *keys) look() {
	n := k.take()
	defer k.giveBack(n)
	time.Sleep(2 * time.Millisecond)
}

func (k *keys) closeYear() {
	for i := 0; i < 9; i++ {
		n := k.take()
		defer k.giveBack(n)
		time.Sleep(2 * time.Millisecond)
	}
	time.Sleep(8 * time.Millisecond)
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		k := &keys{make(chan int, 10)}
		for i := 0; i < 10; i++ {
			k.free <- i
		}
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for i := 0; i < 8; i++ {
			wg.Add(1)
			go reader(k, stop, &wg)
		}
		for i := 0; i < 5; i++ {
			k.closeYear()
			time.Sleep(time.Millisecond)
		}
		close(stop)
		wg.Wait()
	})
}

func reader(k *keys, stop chan struct{}, wg *sync.WaitGroup) {
	defer wg.Done()
	for {
		select {
		case <-stop:
			return
		default:
			k.look()
		}
	}
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
