// gatehouse TRACE: writes the trace that tests/unit/test_causes.c reads: a listener accepts the next connection only when one of two is closed. Go 1.25.
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

type gate struct {
	net.Listener
	free chan struct{}
}
type visitor struct {
	net.Conn
	once sync.Once
	free chan struct{}
}

func (g *gate) Accept() (net.Conn, error) {
	g.free <- struct{}{}
	c, err := g.Listener.Accept()
	return &visitor{Conn: c, free: g.free}, err
}

func (v *visitor) Close() error {
	v.once.Do(func() { <-v.free })
	return v.Conn.Close()
}

func main() {
	runtime.GOMAXPROCS(8)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go http.Serve(&gate{l, make(chan struct{}, 2)}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		compute(5 * time.Millisecond)
		io.WriteString(w, "come in")
	}))
	url := "http://" + l.Addr().String()
	traced(func() {
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		sideBySide(7, func(int) {
			for k := 0; k < 8; k++ {
				get(c, url)
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
