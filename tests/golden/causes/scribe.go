// scribe TRACE: writes the trace that tests/unit/test_causes.c reads: copyLine writes each word by a system call of its own: tens of thousands of small writes. Built with -trimpath.
package main

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

func copyLine(w io.Writer, words [][]byte) {
	for _, x := range words {
		w.Write(x)
	}
}
func scribe(i int, wg *sync.WaitGroup) {
	defer wg.Done()
	f, _ := os.CreateTemp("", "scribe")
	defer os.Remove(f.Name())
	defer f.Close()
	var w io.Writer = f
	b := bufio.NewWriterSize(f, 64<<10)
	if false {
		w = b
	}
	words := make([][]byte, 20)
	for k := range words {
		words[k] = make([]byte, 7)
	}
	for l := 0; l < 130; l++ {
		copyLine(w, words)
	}
	b.Flush()
}
func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for i := 0; i < 2; i++ {
			wg.Add(1)
			go scribe(i, &wg)
		}
		wg.Wait()
	})
}

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
