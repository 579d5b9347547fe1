// ghosttown TRACE: writes the trace that tests/unit/test_causes.c reads: a client asks a town in which nobody answers the door; each call
// ends without a connection, so none could have been kept. Built with -trimpath.
package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

var nobody = errors.New("nobody is there")

func knock(ctx context.Context, network, addr string) (net.Conn, error) {
	time.Sleep(2 * time.Millisecond)
	return nil, nobody
}

func visit(c *http.Client) {
	if _, err := c.Get("http://ghosttown.example/"); err == nil {
		panic("somebody was there")
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	c := &http.Client{Transport: &http.Transport{DialContext: knock}}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	for i := 0; i < 60; i++ {
		visit(c)
	}
	trace.Stop()
	f.Close()
}
