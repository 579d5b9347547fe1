// relaystation TRACE: writes the trace that tests/unit/test_causes.c reads: 12 riders ask through a station that keeps two connections and opens
// a new one for the others. Go 1.27.
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
	"syscall"
	"time"
	"unsafe"
)

func main() {
	runtime.GOMAXPROCS(8)
	stable := serve(func(w http.ResponseWriter, r *http.Request) {
		compute(600 * time.Microsecond)
		io.WriteString(w, "fresh horse")
	})
	own := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}}
	station := serve(func(w http.ResponseWriter, r *http.Request) {
		passOn(own, stable)
		io.WriteString(w, "on")
	})
	traced(func() {
		c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 12}}
		sideBySide(12, func(int) {
			for k := 0; k < 12; k++ {
				get(c, station)
				compute(400 * time.Microsecond)
			}
		})
	})
}

func passOn(c *http.Client, url string) { get(c, url) }

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
