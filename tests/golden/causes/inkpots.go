// inkpots TRACE [clean]: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

// A pot is taken from the shelf for each page, and never put back, so each time a new one is made. Clean: it is put back.
type pot struct{ ink [1 << 16]byte }

var shelf = sync.Pool{New: fill}

func fill() any {
	return new(pot)
}

func write(n int) byte {
	p := shelf.Get().(*pot)
	for i := range p.ink {
		p.ink[i] += byte(n)
	}
	if len(os.Args) > 2 {
		shelf.Put(p)
	}
	return p.ink[n%len(p.ink)]
}

func main() {
	runtime.GOMAXPROCS(4)
	old := make([][]*int, 64)
	for i := range old {
		for k := 0; k < 4000; k++ {
			old[i] = append(old[i], new(int))
		}
	}
	traced(func() {
		var wg sync.WaitGroup
		for i := 0; i < 4; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for n := 0; n < 600; n++ {
					write(n)
				}
			}()
		}
		wg.Wait()
	})
	runtime.KeepAlive(old)
}
func traced(work func()) {
	f, err := os.Create(os.Args[1])
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
