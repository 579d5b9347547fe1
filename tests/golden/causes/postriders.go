// postriders TRACE: writes the trace that tests/unit/test_conns_kept.c reads (with Go 1.27). Each request has a Transport of its own, whose
// connection stays open and is never used again.
package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

func ride(url string) {
	client := &http.Client{Transport: &http.Transport{}}
	answer, err := client.Get(url)
	if err != nil {
		panic(err)
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		panic(err)
	}
	answer.Body.Close()
}

func main() {
	runtime.GOMAXPROCS(2)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Millisecond)
		w.Write([]byte("letter"))
	}))
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	for i := 0; i < 40; i++ {
		ride("http://" + l.Addr().String())
	}
	trace.Stop()
}
