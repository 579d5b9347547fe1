// suitors TRACE: writes the trace that tests/unit/test_causes.c reads: every third answer takes longer than the client waits; it asks again, and each time
// net/http closes the connection. Go 1.25.
package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

func main() {
	runtime.GOMAXPROCS(8)
	var asked int32
	url := serve(func(w http.ResponseWriter, r *http.Request) {
		thinks := 2 * time.Millisecond
		if atomic.AddInt32(&asked, 1)%3 == 0 {
			thinks = 60 * time.Millisecond
		}
		select {
		case <-time.After(thinks):
		case <-r.Context().Done():
		}
		io.WriteString(w, "yes")
	})
	traced(func() {
		c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}, Timeout: 12 * time.Millisecond}
		sideBySide(4, func(int) {
			for k := 0; k < 18; k++ {
				for !ask(c, url) {
				}
			}
		})
	})
}

func ask(c *http.Client, url string) bool {
	r, err := c.Get(url)
	if err == nil {
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
	return err == nil
}

func serve(h http.HandlerFunc) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go http.Serve(l, h)
	return "http://" + l.Addr().String()
}

func get(c *http.Client, url string) {
	r, err := c.Get(url)
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
}

func sideBySide(n int, f func(i int)) {
	var w sync.WaitGroup
	for i := 0; i < n; i++ {
		w.Add(1)
		go func(i int) { defer w.Done(); f(i) }(i)
	}
	w.Wait()
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	work()
	trace.Stop()
	f.Close()
}

// compute keeps the P busy for d.
func compute(d time.Duration) {
	for end, left := time.Now().Add(d), d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
