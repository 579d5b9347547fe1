// cleanlull TRACE: writes the trace that tests/unit/test_causes.c reads. A listener looks at its flag each time nothing came
// for a while, and a server closes connections on which nothing is asked any more: both have deadlines that are meant.
package main

import (
	"net"
	"os"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

var stop int32

func listenOn(c net.PacketConn) {
	b := make([]byte, 64)
	for atomic.LoadInt32(&stop) == 0 {
		c.SetReadDeadline(time.Now().Add(8 * time.Millisecond))
		c.ReadFrom(b)
	}
}

func serveConn(c net.Conn) {
	defer c.Close()
	b := make([]byte, 64)
	for {
		c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		n, err := c.Read(b)
		if err != nil {
			return
		}
		c.Write(b[:n])
	}
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveConn(c)
		}
	}()
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { defer wg.Done(); listenOn(pc) }()
	for i := 0; i < 14; i++ {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			panic(err)
		}
		b := make([]byte, 64)
		for q := 0; q < 3; q++ {
			c.Write([]byte("still there?"))
			c.Read(b)
		}
		time.Sleep(7 * time.Millisecond)
		if i%4 == 0 {
			u, _ := net.Dial("udp", pc.LocalAddr().String())
			u.Write([]byte("news"))
			u.Close()
		}
	}
	time.Sleep(15 * time.Millisecond)
	atomic.StoreInt32(&stop, 1)
	wg.Wait()
	trace.Stop()
}
