// allocs.go - two that allocate: chunks makes few large blocks, crumbs many small ones. It prints the bytes of each.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"time"
)

var keep [64][]byte
var list [4096]*[4]int64
var live [][]byte

//go:noinline
func chunks(n int) (sum int64) {
	for i := 0; i < n; i++ {
		keep[i%len(keep)] = make([]byte, 600<<10)
		sum += 600 << 10
		time.Sleep(200 * time.Microsecond)
	}
	return
}

//go:noinline
func crumbs(stop *bool) (sum int64) {
	for i := 0; !*stop; i++ {
		list[i%len(list)] = new([4]int64)
		sum += 32
		if i%1000 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	return
}

func main() {
	for i := 0; i < 4000; i++ {
		live = append(live, make([]byte, 1024))
	}
	f, _ := os.Create(os.Args[1])
	if len(os.Args) > 2 {
		pprof.StartCPUProfile(&bytes.Buffer{})
	}
	trace.Start(f)
	var wg sync.WaitGroup
	var stop bool
	var a, b int64
	wg.Add(1)
	go func() { b = crumbs(&stop); wg.Done() }()
	a = chunks(500)
	stop = true
	wg.Wait()
	trace.Stop()
	pprof.StopCPUProfile()
	f.Close()
	fmt.Printf("chunks %d crumbs %d: %.1f %%\n", a, b, 100*float64(a)/float64(a+b))
}
