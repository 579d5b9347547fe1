// rowboats TRACE: writes the trace that tests/unit/test_causes.c reads: eight ask one host through a client that may have two connections.
// Built with -trimpath.
package main

import (
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

func cross(c *http.Client, u string) {
	r, err := c.Get(u)
	if err != nil {
		panic(err)
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
}

func main() {
	runtime.GOMAXPROCS(4)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(2 * time.Millisecond)
		fmt.Fprintln(w, 3)
	}))
	c := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 2, MaxIdleConnsPerHost: 2}}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for w := 0; w < 8; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 6; i++ {
				cross(c, s.URL)
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
