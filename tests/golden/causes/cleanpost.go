// cleanpost TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
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

// Handlers of a server give work to others, which wait for it: for no answer, and for nobody outside.
func sort(in chan int, quit chan bool) {
	for {
		select {
		case <-in:
			busy(200 * time.Microsecond)
		case <-quit:
			return
		}
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		in, quit := make(chan int), make(chan bool)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { in <- 1 }))
		for i := 0; i < 4; i++ {
			go sort(in, quit)
		}
		var wg sync.WaitGroup
		for i := 0; i < 2; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				c := &http.Client{Transport: &http.Transport{}}
				for n := 0; n < 20; n++ {
					r, err := c.Get("http://" + l.Addr().String())
					if err != nil {
						panic(err)
					}
					io.Copy(io.Discard, r.Body)
					r.Body.Close()
					time.Sleep(6 * time.Millisecond)
				}
			}()
		}
		wg.Wait()
		close(quit)
	})
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
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

// busy keeps the P for d without the processor.
func busy(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
