// engraver TRACE: writes the trace that tests/unit/test_causes.c reads: he writes letter by letter, and works a little on each, so that at a
// microsecond each his calls are little of his time. Go 1.19, built with -trimpath.
package main

import (
	"os"
	"runtime/trace"
)

var metal uint64

func engrave(f *os.File, letter byte) {
	for i := 0; i < 4000; i++ {
		metal = metal*31 + uint64(letter)
	}
	f.Write([]byte{letter})
}

func main() {
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	traced(os.Args[1], func() {
		for i := 0; i < 2500; i++ {
			engrave(f, 'a')
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
