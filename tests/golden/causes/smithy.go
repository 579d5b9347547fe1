// smithy TRACE: writes the trace that tests/unit/test_causes.c reads: hammers that never rest have all processors, and requests, short
// ones, wait for one of these each time. Built with -trimpath.
package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func hammer(until time.Time, sum *int) {
	for time.Now().Before(until) {
		for i := 0; i < 1000000; i++ {
			*sum = *sum*31 + i
		}
	}
}

func greet(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "good day") }

func customers(url string) { // another process
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 12; i++ {
				r, err := http.Get(url)
				if err != nil {
					return
				}
				io.Copy(io.Discard, r.Body)
				r.Body.Close()
				time.Sleep(5 * time.Millisecond)
			}
		}()
	}
	wg.Wait()
}

func main() {
	if len(os.Args) > 2 {
		customers(os.Args[2])
		return
	}
	runtime.GOMAXPROCS(2)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	go http.Serve(l, http.HandlerFunc(greet))
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	until := time.Now().Add(500 * time.Millisecond)
	sums := make([]int, 48)
	for i := 0; i < 3; i++ {
		go hammer(until, &sums[i*16])
	}
	if _, err := os.StartProcess(os.Args[0], append(os.Args, "http://"+l.Addr().String()), &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr}}); err != nil {
		panic(err)
	}
	time.Sleep(time.Until(until))
	trace.Stop()
	f.Close()
}
