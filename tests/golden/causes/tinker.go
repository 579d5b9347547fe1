// tinker TRACE: writes the trace that tests/unit/test_causes.c reads: tinkers take their tin from a box grain by grain, two of them at one bench.
// A grain takes no longer than reaching for it. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
)

var melt uint32 // of all, one after the other

func scoop(box *os.File) (string, bool) {
	var b strings.Builder
	var grain [1]byte
	for {
		n, err := box.Read(grain[:])
		if n == 0 || err != nil {
			return b.String(), b.Len() > 0
		}
		if grain[0] == '\n' {
			return b.String(), true
		}
		for i := 0; i < 60; i++ {
			melt = melt*31 + uint32(grain[0])
		}
		b.WriteByte(grain[0])
	}
}

func solder(name string) (seams int) {
	box, err := os.Open(name)
	if err != nil {
		panic(err)
	}
	defer box.Close()
	for {
		s, more := scoop(box)
		if !more {
			return
		}
		seams += len(strings.Split(s, ","))
	}
}

func main() {
	runtime.GOMAXPROCS(1)
	name := os.Args[1] + ".box"
	if err := os.WriteFile(name, []byte(strings.Repeat("tin,lead,tin\n", 600)), 0o600); err != nil {
		panic(err)
	}
	defer os.Remove(name)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var tinkers sync.WaitGroup
	for i := 0; i < 2; i++ {
		tinkers.Add(1)
		go func() { defer tinkers.Done(); solder(name) }()
	}
	tinkers.Wait()
	trace.Stop()
	f.Close()
}
