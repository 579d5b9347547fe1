// wicket TRACE: writes the trace that tests/unit/test_causes.c reads: eight carters and a server's requests pass one limit, the carters all the time. Built with -trimpath.
package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func outside(house string) { // who asks, a process of its own
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 8; n++ {
				r, err := http.Get("http://" + house)
				if err != nil {
					return
				}
				io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
		}()
	}
	wg.Wait()
}

type wicket struct {
	mu   sync.Mutex
	next time.Time
}

func (t *wicket) pass() {
	t.mu.Lock()
	now := time.Now()
	if t.next.Before(now) {
		t.next = now
	}
	d := t.next.Sub(now)
	t.next = t.next.Add(2 * time.Millisecond)
	t.mu.Unlock()
	select {
	case <-time.After(d):
	}
}

func carter(t *wicket) {
	for {
		t.pass()
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	if len(os.Args) > 2 {
		outside(os.Args[2])
		return
	}
	door, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	traced(os.Args[1], func() {
		if _, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-", door.Addr().String()}, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr}}); err != nil {
			panic(err)
		}
		t := &wicket{}
		for range 8 {
			go carter(t)
		}
		go http.Serve(door, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.pass() }))
		time.Sleep(240 * time.Millisecond)
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
