// cleanscrolls TRACE: writes a trace like the one that tests/unit/test_causes.c reads: six ask an http server of the same process for long
// answers, which are written piece by piece. Go 1.27.
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go http.Serve(l, http.HandlerFunc(unroll))
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 6}}
	traced(func() {
		var w sync.WaitGroup
		for i := 0; i < 6; i++ {
			w.Add(1)
			go func() {
				defer w.Done()
				for k := 0; k < 3; k++ {
					read(c, "http://"+l.Addr().String())
				}
			}()
		}
		w.Wait()
	})
}

func unroll(w http.ResponseWriter, r *http.Request) {
	for i := 0; i < 10; i++ {
		compute(2 * time.Millisecond)
		w.Write(make([]byte, 20000))
		w.(http.Flusher).Flush()
	}
}

func read(c *http.Client, url string) {
	r, err := c.Get(url)
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()

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
