// closedshop TRACE [watch]: writes the trace that tests/unit/test_causes.c reads. Of two addresses the first is asked first each time, and
// nobody takes its connections; each try waits until the dialer's limit. With watch only a goroutine aside looks whether it is there.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A socket that listens, whose queue is full.
func closed() string {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	must(err)
	must(syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	must(syscall.Listen(fd, 0))
	sa, err := syscall.Getsockname(fd)
	must(err)
	a := fmt.Sprintf("127.0.0.1:%d", sa.(*syscall.SockaddrInet4).Port)
	for i := 0; i < 3; i++ {
		net.DialTimeout("tcp", a, 30*time.Millisecond)
	}
	return a
}

func price(c *http.Client, shops ...string) {
	for _, s := range shops {
		r, err := c.Get("http://" + s)
		if err != nil {
			continue
		}
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
		return
	}
}

func lookout(shop string) {
	for {
		if c, err := net.DialTimeout("tcp", shop, 6*time.Millisecond); err == nil {
			c.Close()
		}
		time.Sleep(6 * time.Millisecond)
	}
}

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Millisecond)
		io.WriteString(w, "7")
	}))
	shops, pause := []string{closed(), l.Addr().String()}, time.Duration(0)
	dialer := net.Dialer{Timeout: 9 * time.Millisecond}
	c := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 8}}
	f, err := os.Create(os.Args[1])
	must(err)
	must(trace.Start(f))
	if len(os.Args) > 2 {
		go lookout(shops[0])
		shops, pause = shops[1:], 12*time.Millisecond
	}
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 9; k++ {
				price(c, shops...)
				time.Sleep(pause)
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	must(f.Close())
}
