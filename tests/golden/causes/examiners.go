// examiners TRACE: writes the trace that tests/unit/test_causes_said.c reads: a test with subtests, none of which says that it may run beside
// another. Built with -trimpath.
package main

import (
	"flag"
	"os"
	"runtime"
	"testing"
	"time"
)

func paper(t *testing.T) {
	time.Sleep(2 * time.Millisecond)
	for t := time.Now(); time.Since(t) < time.Millisecond; {
	}
}
func examine(t *testing.T) {
	for range 20 {
		t.Run("paper", paper)
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	testing.Init()
	flag.Set("test.trace", os.Args[1])
	all := func(pat, str string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "TestExamine", F: examine}}, nil, nil)
}
