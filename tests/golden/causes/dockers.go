// Dockers: at most 3 loads at once are made ready, and who has a place on the quay keeps it while the ship takes his load, slowly.
// With -fixed he gives it back before: quayside.trace, where nothing but the ships is slow.
package main

import (
	"flag"
	"io"
	"net"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

var fixed = flag.Bool("fixed", false, "")
var quay = make(chan struct{}, 3)

func work(us int) {
	for t := time.Now(); time.Since(t) < time.Duration(us)*time.Microsecond; {
	}
}

//go:noinline
func prepare() []byte { work(400); return make([]byte, 400<<10) }

//go:noinline
func deliver(c net.Conn, b []byte) { c.Write(b) }

func serve(c net.Conn, wg *sync.WaitGroup) {
	defer wg.Done()
	buf := make([]byte, 1)
	for {
		if _, err := c.Read(buf); err != nil {
			return
		}
		quay <- struct{}{}
		b := prepare()
		if *fixed {
			<-quay
			deliver(c, b)
		} else {
			deliver(c, b)
			<-quay
		}
	}
}

func client() {
	c, _ := net.Dial("tcp", os.Getenv("QUAY"))
	buf := make([]byte, 40<<10)
	for i := 0; i < 3; i++ {
		c.Write(buf[:1])
		for n := 0; n < 400<<10; {
			k, err := io.ReadAtLeast(c, buf, 1)
			if err != nil {
				return
			}
			n += k
			time.Sleep(1500 * time.Microsecond)
		}
	}
	c.Close()
}

func main() {
	out := flag.String("o", "dockers.trace", "")
	flag.Parse()
	if os.Getenv("QUAY") != "" {
		client()
		return
	}
	ln, _ := net.Listen("tcp", "127.0.0.1:0")
	f, _ := os.Create(*out)
	trace.Start(f)
	t := time.Now()
	var wg sync.WaitGroup
	for i := 0; i < 12; i++ {
		a := &os.ProcAttr{Env: append(os.Environ(), "QUAY="+ln.Addr().String()), Files: []*os.File{nil, nil, os.Stderr}}
		os.StartProcess(os.Args[0], os.Args, a)
	}
	for i := 0; i < 12; i++ {
		c, _ := ln.Accept()
		c.(*net.TCPConn).SetWriteBuffer(32 << 10)
		wg.Add(1)
		go serve(c, &wg)
	}
	wg.Wait()
	trace.Stop()
	println(time.Since(t).String())
}
