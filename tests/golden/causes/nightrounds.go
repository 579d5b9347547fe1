// Night rounds: one goroutine listens to 12 watchmen in turn, each for a while (a read deadline), and most have nothing to say.
// With -of 2 each silent one has one beside it that says much: nightpairs.trace, where no trace tells it from one that speaks at a pace.
package main

import (
	"flag"
	"net"
	"os"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

var fixed = flag.Bool("fixed", false, "")
var of = flag.Int("of", 3, "of so many one says much")
var n = flag.Int("n", 120, "messages")
var got atomic.Int64

//go:noinline
func poll(c net.Conn, b []byte) int {
	c.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
	n, err := c.Read(b)
	if err != nil {
		return 0
	}
	return n
}

func main() {
	out := flag.String("o", "nightrounds.trace", "")
	flag.Parse()
	ln, _ := net.Listen("tcp", "127.0.0.1:0")
	if os.Getenv("LAMP") != "" {
		d, _ := time.ParseDuration(os.Getenv("EVERY"))
		c, err := net.Dial("tcp", os.Getenv("LAMP"))
		if err != nil {
			return
		}
		for {
			time.Sleep(d)
			if _, err := c.Write(make([]byte, 32)); err != nil {
				return
			}
		}
	}
	var cs []net.Conn
	for i := 0; i < 12; i++ {
		ev := "2ms"
		if i%*of != 0 {
			ev = "400ms"
		}
		a := &os.ProcAttr{Env: append(os.Environ(), "LAMP="+ln.Addr().String(), "EVERY="+ev), Files: []*os.File{nil, nil, os.Stderr}}
		pr, _ := os.StartProcess(os.Args[0], os.Args, a)
		defer pr.Kill()
		c, _ := ln.Accept()
		cs = append(cs, c)
	}
	f, _ := os.Create(*out)
	trace.Start(f)
	t := time.Now()
	var wg sync.WaitGroup
	if *fixed {
		for _, c := range cs {
			wg.Add(1)
			go func() {
				defer wg.Done()
				b := make([]byte, 32)
				for got.Load() < int64(*n) {
					if n := poll(c, b); n > 0 {
						got.Add(1)
					}
				}
			}()
		}
	} else {
		wg.Add(1)
		go func() {
			defer wg.Done()
			b := make([]byte, 32)
			for got.Load() < int64(*n) {
				for _, c := range cs {
					if n := poll(c, b); n > 0 {
						got.Add(1)
					}
				}
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	println(time.Since(t).String())
}
