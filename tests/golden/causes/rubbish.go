// Four cooks make rubbish, and one of them has all of it taken away again and again (debug.FreeOSMemory), though the dustmen come by
// themselves when the yard is full.
package main

import (
	"flag"
	"os"
	"runtime/debug"
	"runtime/trace"
	"sync"
)

type pan struct {
	next *pan
	v    [6]int
}

var kept []*pan
var sink []byte

//go:noinline
func dish(i int) {
	for k := 0; k < 6; k++ {
		sink = make([]byte, 48000)
	}
	x := 0
	for k := 0; k < 20000; k++ {
		x += k * i
	}
	sink[0] = byte(x)
}

//go:noinline
func cook(first bool, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 150; i++ {
		dish(i)
		if first && i%30 == 0 {
			debug.FreeOSMemory()
		}
	}
}

func main() {
	out := flag.String("o", "rubbish.trace", "")
	flag.Parse()
	for i := 0; i < 100000; i++ {
		kept = append(kept, &pan{})
	}
	f, _ := os.Create(*out)
	trace.Start(f)
	var wg sync.WaitGroup
	for w := 0; w < 4; w++ {
		wg.Add(1)
		go cook(w == 0, &wg)
	}
	wg.Wait()
	trace.Stop()
}
