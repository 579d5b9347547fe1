// crawl TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

var sink [32]byte

func fetchPage(c *http.Client, u string) {
	r, err := c.Get(u)
	if err != nil {
		panic(err)
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
}
func crawl(c *http.Client, u string, n int) {
	if false {
		var wg sync.WaitGroup
		for k := 0; k < 8; k++ {
			wg.Add(1)
			go func(k int) {
				defer wg.Done()
				for i := k; i < n; i += 8 {
					fetchPage(c, u)
					hash(60)
				}
			}(k)
		}
		wg.Wait()
		return
	}
	for i := 0; i < n; i++ {
		fetchPage(c, fmt.Sprint(u, "/p", i))
		hash(60)
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(4 * time.Millisecond)
		fmt.Fprintln(w, "page")
	}))
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	traced(func() { crawl(c, s.URL, 30) })
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

// hash calculates n blocks.
func hash(n int) {
	var b [512]byte
	for i := 0; i < n; i++ {
		sink = sha256.Sum256(b[:])
	}
}
