// cleanbellows TRACE: writes the trace that tests/unit/test_causes.c reads: a forge that has more processors for a while as it starts, and puts
// GOMAXPROCS back to what it was. It is busy, which is no fault. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

var sparks [8]uint64

func forge(k, nails int) {
	for i := 0; i < nails; i++ {
		for j := 0; j < 20000; j++ {
			sparks[k] = sparks[k]*6364136223846793005 + uint64(j)
		}
		runtime.Gosched()
	}
}

func all(nails int) {
	var smiths sync.WaitGroup
	for k := range sparks {
		smiths.Add(1)
		go func() {
			defer smiths.Done()
			forge(k, nails)
		}()
	}
	smiths.Wait()
}

func main() {
	runtime.GOMAXPROCS(2)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	before := runtime.GOMAXPROCS(4)
	all(2)
	runtime.GOMAXPROCS(before)
	all(150)
	trace.Stop()
	f.Close()
}
