// coachhouse TRACE: writes the trace that tests/unit/test_causes.c reads: http.TimeoutHandler answers when the time is up; the handler goes on. Go 1.21.
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
	runtime.GOMAXPROCS(4)
	var asked int32
	url := serve(http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		steps := 3
		if atomic.AddInt32(&asked, 1)%2 == 0 {
			steps = 30
		}
		harness(steps)
	}), 8*time.Millisecond, "no horses").ServeHTTP)
	traced(func() {
		c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
		sideBySide(4, func(int) {
			for k := 0; k < 12; k++ {
				get(c, url)
			}
		})
	})
}

func harness(steps int) {
	for i := 0; i < steps; i++ {
		compute(time.Millisecond)
	}
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
