// ferrymen TRACE: writes the trace that tests/unit/test_causes.c reads: eight ask one host, and two idle connections are kept, so of those that come
// back most are closed; but there is often one that comes back in time, so less than half of the questions wait for a new one. Built with -trimpath.
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func cross(c *http.Client, u string) {
	r, err := c.Get(u)
	if err != nil {
		panic(err)
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
}

func main() {
	if len(os.Args) < 2 { // the other side
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(3 * time.Millisecond)
			fmt.Fprintln(w, 3)
		}))
		fmt.Println(s.URL)
		io.Copy(io.Discard, os.Stdin)
		return
	}
	runtime.GOMAXPROCS(4)
	other := exec.Command(os.Args[0])
	in, _ := other.StdinPipe()
	out, _ := other.StdoutPipe()
	if err := other.Start(); err != nil {
		panic(err)
	}
	var u string
	fmt.Fscanln(out, &u)
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for w := 0; w < 8; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 20; i++ {
				cross(c, u)
				time.Sleep(100 * time.Microsecond)
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
	in.Close()
	other.Wait()
}
