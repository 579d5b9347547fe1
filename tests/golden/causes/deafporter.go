// deafporter TRACE: writes the trace that tests/unit/test_causes_said.c reads: who asks is gone before the porter has slept; net/http watches the
// connection meanwhile, in a goroutine of its own that is over then. Built with -trimpath.
package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func porter(w http.ResponseWriter, r *http.Request) {
	time.Sleep(60 * time.Millisecond)
}
func main() {
	runtime.GOMAXPROCS(4)
	s := httptest.NewServer(http.HandlerFunc(porter))
	traced(os.Args[1], func() {
		c := &http.Client{Timeout: 20 * time.Millisecond}
		var w sync.WaitGroup
		for range 10 {
			w.Add(1)
			go func() {
				defer w.Done()
				if r, err := c.Get(s.URL); err == nil {
					r.Body.Close()
				}
			}()
		}
		w.Wait()
		time.Sleep(60 * time.Millisecond)
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
