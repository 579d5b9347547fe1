// vestry TRACE: writes the trace that tests/unit/test_causes.c reads: a request for the register keeps the read lock for 8 ms, in which a request that
// writes waits for it, and all others behind that one. Go 1.27.
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

type register struct {
	mu sync.RWMutex
	m  map[string]int
}

func (r *register) copyOut() {
	r.mu.RLock()
	defer r.mu.RUnlock()
	compute(8 * time.Millisecond)
}

func (r *register) enter(name string) {
	r.mu.Lock()
	r.m[name]++
	r.mu.Unlock()
}

func main() {
	runtime.GOMAXPROCS(8)
	book := &register{m: map[string]int{}}
	url := serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/all" {
			book.copyOut()
		} else {
			book.enter(r.URL.Path)
			compute(500 * time.Microsecond)
		}
		io.WriteString(w, "so be it")
	})
	traced(func() {
		c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 6}}
		sideBySide(6, func(i int) {
			for k := 0; k < 16; k++ {
				if i == 0 {
					get(c, url+"/all")
					time.Sleep(2 * time.Millisecond)
				} else {
					get(c, url)
				}
			}
		})
	})
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
