// landslip TRACE: writes the trace that tests/unit/test_causes_said.c reads: the other side answers at once, until from some moment on each answer takes it ten milliseconds. Built with -trimpath.
package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

func serve() { // the other side, a process of its own
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(l.Addr().String() + "\n")
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				for b := make([]byte, 1); ; {
					if _, err := io.ReadFull(c, b); err != nil {
						return
					}
					if b[0] == 's' {
						time.Sleep(10 * time.Millisecond)
					}
					c.Write(b)
				}
			}()
		}
	}()
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func ask(c net.Conn, b byte) {
	v := []byte{b}
	c.Write(v)
	io.ReadFull(c, v)
}

func guide(c net.Conn, left *int64, quick int64) {
	for {
		n := atomic.AddInt64(left, -1)
		if n < 0 {
			return
		}
		b := byte('q')
		if n < quick {
			b = 's'
		}
		ask(c, b)
		time.Sleep(time.Millisecond)
	}
}

func main() {
	if len(os.Args) < 2 {
		serve()
	}
	runtime.GOMAXPROCS(4)
	cmd := exec.Command(os.Args[0])
	in, _ := cmd.StdinPipe()
	o, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	var addr []byte
	for b := make([]byte, 1); ; {
		if _, err := io.ReadFull(o, b); err != nil || b[0] == '\n' {
			break
		}
		addr = append(addr, b[0])
	}
	var all sync.WaitGroup
	cs := make([]net.Conn, 3)
	for i := range cs {
		cs[i], _ = net.Dial("tcp", string(addr))
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	trace.Start(f)
	left := int64(700)
	for i := range cs {
		all.Add(1)
		go func(c net.Conn) { defer all.Done(); guide(c, &left, 90) }(cs[i])
	}
	all.Wait()
	trace.Stop()
	f.Close()
	in.Close()
	cmd.Wait()
}
