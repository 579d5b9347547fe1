// guestbook TRACE: writes the trace that tests/unit/test_causes.c reads: the book is opened and closed for each name. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
)

var page = make([]byte, 48<<10)

func sign(book string) {
	f, err := os.OpenFile(book, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	f.Write(page)
	f.Close()
}
func main() {
	runtime.GOMAXPROCS(4)
	book := os.Args[1] + ".book"
	defer os.Remove(book)
	traced(os.Args[1], func() {
		done := make(chan bool)
		go func() {
			for range 400 {
				sign(book)
			}
			done <- true
		}()
		<-done
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
