// annals TRACE: writes the trace that tests/unit/test_causes.c reads: each year is joined to all years before it with +. Compressed. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"strconv"
	"sync"
)

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

var kept [2]string

func writeAnnals(monk int) {
	book := ""
	for year := 0; year < 600; year++ {
		book += "in the year " + strconv.Itoa(year) + " there was rain, and the harvest was late, and the abbot was ill, and the bells rang\n"
	}
	kept[monk] = book
}

func main() {
	runtime.GOMAXPROCS(2)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for m := 0; m < 2; m++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for b := 0; b < 1; b++ {
					writeAnnals(m)
				}
			}()
		}
		wg.Wait()
	})
}
