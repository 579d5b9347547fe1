// alloc: grows and drops binary trees on several goroutines, with a small heap goal, so that the collector marks,
// sweeps and makes the program assist.
package main

import (
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/trace"
	"sync"
	"time"
)

type node struct {
	left, right *node
	weight      int
	bark        [300]int
}

func grow(depth int) *node {
	n := &node{}
	if depth > 0 {
		n.left, n.right = grow(depth-1), grow(depth-1)
		n.weight = n.left.weight + n.right.weight + 1
	}
	return n
}

func gardener(trees, depth int, keep **node, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < trees; i++ {
		*keep = grow(depth)
		time.Sleep(400 * time.Microsecond)
	}
}

func main() {
	out := flag.String("o", "alloc.trace", "the trace's file")
	gardeners := flag.Int("gardeners", 3, "goroutines that grow trees")
	trees := flag.Int("trees", 3, "trees of each")
	depth := flag.Int("depth", 9, "depth of a tree")
	flag.Parse()

	f, err := os.Create(*out)
	if err != nil {
		panic(err)
	}
	debug.SetGCPercent(80)
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	garden := make([]*node, *gardeners)
	var wg sync.WaitGroup
	for i := range garden {
		wg.Add(1)
		go gardener(*trees, *depth, &garden[i], &wg)
	}
	wg.Wait()
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	trace.Stop()
	f.Close()
	runtime.KeepAlive(garden)
}
