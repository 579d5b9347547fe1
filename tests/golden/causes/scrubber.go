// scrubber TRACE: writes the trace that tests/unit/test_causes.c reads: a pattern is compiled for each line. Built with -trimpath.
package main

import (
	"os"
	"regexp"
	"runtime"
	"runtime/trace"
	"sync"
)

func scrub(line string) bool {
	return regexp.MustCompile(`([a-z]+[0-9]{1,4}-)+[A-F]{2,6}$`).MatchString(line)
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
	var wg sync.WaitGroup
	for k := 0; k < 2; k++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 500; i++ {
				scrub("abc12-de345-ABC")
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
