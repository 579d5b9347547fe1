// straws TRACE: writes the trace that tests/unit/test_causes.c reads: three pours write a drop at a time into a pipe each, without a buffer.
// Built with -trimpath.
package main

import (
	"io"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

func drip(w io.Writer) {
	io.WriteString(w, "drop\n")
}

func pour() {
	r, w := io.Pipe()
	go func() {
		for i := 0; i < 400; i++ {
			drip(w)
		}
		w.Close()
	}()
	drink(r)
}

func drink(r io.Reader) {
	io.Copy(io.Discard, r)
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
	for k := 0; k < 3; k++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			pour()
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
