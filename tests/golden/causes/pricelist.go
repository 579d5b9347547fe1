// pricelist TRACE: writes the trace that tests/unit/test_causes.c reads: who is asked for a price asks this same process, where one lock is held at work. Built with -trimpath.
package main

import (
	"fmt"
	"io"
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

type prices struct{ mu sync.Mutex }

func (p *prices) quote() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	burn(1500 * time.Microsecond)
	return 7
}

func (p *prices) serve(l net.Listener) {
	http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, p.quote()) }))
}

func askPrice(c *http.Client, addr string, w io.Writer) {
	resp, err := c.Get("http://" + addr)
	if err == nil {
		io.Copy(w, resp.Body)
		resp.Body.Close()
	}
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return l
}

func main() {
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	if len(os.Args) > 2 { // who asks, a process of its own
		var wg sync.WaitGroup
		for i := 0; i < 7; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for k := 0; k < 9; k++ {
					askPrice(c, os.Args[2], io.Discard)
				}
			}()
		}
		wg.Wait()
		return
	}
	runtime.GOMAXPROCS(4)
	inner, outer := listen(), listen()
	traced(os.Args[1], func() {
		go (&prices{}).serve(inner)
		go http.Serve(outer, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { askPrice(c, inner.Addr().String(), w) }))
		p, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-", outer.Addr().String()}, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr}})
		if err != nil {
			panic(err)
		}
		p.Wait()
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

func burn(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
