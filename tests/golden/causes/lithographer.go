// lithographer TRACE: writes the trace that tests/unit/test_causes.c reads: one plate after the other is etched by a child process, each of which takes long. Built with -trimpath.
package main

import (
	"os"
	"os/exec"
	"runtime/trace"
	"time"
)

func etch(plate int) error {
	return exec.Command(os.Args[0], "-etch").Run()
}

func series(plates int) {
	for i := 0; i < plates; i++ {
		if err := etch(i); err != nil {
			panic(err)
		}
	}
}

func main() {
	if os.Args[1] == "-etch" {
		time.Sleep(22 * time.Millisecond)
		return
	}
	traced(func() { series(24) })
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
