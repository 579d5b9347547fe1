// oarsmen TRACE: writes the trace that tests/unit/test_causes.c reads: eight ask one host, and one idle connection is kept. Opening one behind the
// second takes long, so most that wait for a new one get what another gives back, and the new one is closed. Built with -trimpath.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

func pull(c *http.Client, u string) {
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
	d := &net.Dialer{}
	var boats atomic.Int32
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1,
		DialContext: func(ctx context.Context, n, a string) (net.Conn, error) {
			if boats.Add(1) > 2 {
				time.Sleep(60 * time.Millisecond)
			}
			return d.DialContext(ctx, n, a)
		}}}
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
				pull(c, s.URL)
				time.Sleep(time.Millisecond)
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
