// engrossers TRACE: writes the trace that tests/unit/test_causes.c reads: each request writes a deed, syncs it and renames it; eight at a time. Go 1.27.
package main

import (
	"fmt"
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
	dir, err := os.MkdirTemp("", "engrossers")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var n int32
	url := serve(func(w http.ResponseWriter, r *http.Request) {
		engross(fmt.Sprint(dir, "/", atomic.AddInt32(&n, 1)))
		io.WriteString(w, "sealed")
	})
	traced(func() {
		c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
		sideBySide(8, func(int) {
			for k := 0; k < 9; k++ {
				get(c, url)
			}
		})
	})
}

func engross(deed string) {
	f, err := os.Create(deed + ".tmp")
	if err != nil {
		log.Fatal(err)
	}
	f.Write(make([]byte, 65536))
	f.Sync()
	f.Close()
	os.Rename(deed+".tmp", deed)
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
