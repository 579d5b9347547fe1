// carvery TRACE: writes the trace that tests/unit/test_causes.c reads: two processors carve for all who ask, and have no time left. Built with -trimpath.
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

func carve(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		if left > 300*time.Microsecond {
			left = 300 * time.Microsecond
		}
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}

func guests(addr string) { // a process of its own
	var wg sync.WaitGroup
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 5}}
	for i := 0; i < 5; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 12; k++ {
				resp, err := c.Get("http://" + addr)
				if err == nil {
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			}
		}()
	}
	wg.Wait()
}

func main() {
	if len(os.Args) > 2 {
		guests(os.Args[2])
		return
	}
	runtime.GOMAXPROCS(2)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	traced(os.Args[1], func() {
		n := 0
		go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n++
			if n%4 == 0 {
				carve(18 * time.Millisecond)
			} else {
				carve(3 * time.Millisecond)
			}
			fmt.Fprint(w, "here you are")
		}))
		p, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-", l.Addr().String()}, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr}})
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
