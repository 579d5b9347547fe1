// hoarder TRACE: writes the trace that tests/unit/test_causes.c reads: a clerk opens a file for each letter and closes none.
// Go 1.27, built with -trimpath.
package main

import (
	"os"
	"runtime/trace"
	"time"
)

var kept []*os.File

func fetchLetter(path string) {
	f, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	kept = append(kept, f)
}

func main() {
	self, _ := os.Executable()
	traced(os.Args[1], func() {
		for i := 0; i < 300; i++ {
			fetchLetter(self)
			time.Sleep(300 * time.Microsecond)
		}
	})
}

// traced writes the trace of work.
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
