// cleanpostmen TRACE: writes the trace that tests/unit/test_causes.c reads: round after round, four of them share out the doors to knock at: raises nothing. Built with -trimpath.
package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

func knock(at *http.Client, door string) {
	r, err := at.Get(door)
	if err != nil {
		panic(err)
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
}

func walk(at *http.Client, door string, doors int64) {
	var next atomic.Int64
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for next.Add(1) <= doors {
				knock(at, door)
			}
		}()
	}
	all.Wait()
}

func main() {
	town := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(3 * time.Millisecond)
		io.WriteString(w, "yes")
	}))
	at := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	traced(func() {
		for i := 0; i < 14; i++ {
			walk(at, town.URL, 12)
		}
	})
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
