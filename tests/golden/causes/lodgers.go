// lodgers TRACE: writes the trace that tests/unit/test_causes.c reads: bathhouse, with a connection for each request, so that a few goroutines
// say nothing of all requests. Go 1.27.
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
	beds := make(chan struct{}, 2)
	url := serve(func(w http.ResponseWriter, r *http.Request) {
		beds <- struct{}{}
		sleepWell()
		<-beds
		io.WriteString(w, "rested")
	})
	traced(func() {
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		sideBySide(10, func(i int) {
			for k := 0; k < 6; k++ {
				if i < 2 {
					airRooms()
					continue
				}
				get(c, url)
			}
		})
	})
}

func sleepWell() { compute(3 * time.Millisecond) }

func airRooms() { compute(11 * time.Millisecond) }

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
