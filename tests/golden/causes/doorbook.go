// doorbook TRACE: writes the trace that tests/unit/test_causes.c reads. Each writes into one book, whose file it locks while it thinks.
package main

import (
	"os"
	"path/filepath"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func enter(book string, line []byte) {
	f, err := os.OpenFile(book, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	must(err)
	defer f.Close()
	must(syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	time.Sleep(4 * time.Millisecond)
	_, err = f.Write(line)
	must(err)
}

func main() {
	dir, err := os.MkdirTemp("", "book")
	must(err)
	defer os.RemoveAll(dir)
	f, err := os.Create(os.Args[1])
	must(err)
	must(trace.Start(f))
	var wg sync.WaitGroup
	for i := 0; i < 6; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 8; k++ {
				enter(filepath.Join(dir, "book"), []byte("came in\n"))
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	must(f.Close())
}
