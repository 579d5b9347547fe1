// cleanclerks TRACE: writes the trace that tests/unit/test_causes.c reads: eight clerks hand in sheets, one registrar files all that are there at
// once and sees that they are kept. Of Go 1.21, where the end of that is not recorded. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

type desk chan chan bool

func (d desk) file(book *os.File) {
	for done := range d {
		sheets := []chan bool{done}
		for len(d) > 0 {
			sheets = append(sheets, <-d)
		}
		for range sheets {
			book.WriteString("a sheet\n")
		}
		book.Sync()
		for _, s := range sheets {
			s <- true
		}
	}
}

func clerk(d desk, n int) {
	for i := 0; i < n; i++ {
		done := make(chan bool, 1)
		d <- done
		<-done
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	book, err := os.CreateTemp("", "book")
	if err != nil {
		panic(err)
	}
	defer os.Remove(book.Name())
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	d := make(desk, 8)
	go d.file(book)
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			clerk(d, 12)
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
