// scroll TRACE: writes the trace that tests/unit/test_causes.c reads: writeScroll writes 24 bytes at a time into an io.Pipe: writer and reader take turns for each of them. Built with -trimpath.
package main

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"runtime/trace"
)

func writeScroll(w *io.PipeWriter, n int) {
	var dst io.Writer = w
	b := bufio.NewWriterSize(w, 2400)
	if false {
		dst = b
	}
	line := make([]byte, 24)
	for i := 0; i < n; i++ {
		spin()
		dst.Write(line)
	}
	b.Flush()
	w.Close()
}
func readScroll(r *io.PipeReader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return
		}
		for i := 0; i < n/24; i++ {
			spin()
		}
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() { r, w := io.Pipe(); go writeScroll(w, 1500); readScroll(r) })
}

func spin() int {
	s := 0
	for i := 0; i < 900; i++ {
		s += i
	}
	return s
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
