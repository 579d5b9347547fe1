// deafear TRACE: writes the trace that tests/unit/test_causes.c reads. Every other question goes to a station that does not
// answer, and is waited for until the connection's deadline.
package main

import (
	"net"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

func station(hears bool) net.Addr {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		b := make([]byte, 16)
		for {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			if hears {
				c.WriteTo(b[:n], from)
			}
		}
	}()
	return c.LocalAddr()
}

func callStation(a net.Addr) bool {
	c, err := net.Dial("udp", a.String())
	if err != nil {
		panic(err)
	}
	defer c.Close()
	c.SetReadDeadline(time.Now().Add(9 * time.Millisecond))
	c.Write([]byte("hear me"))
	b := make([]byte, 16)
	_, err = c.Read(b)
	return err == nil
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	deaf, good := station(false), station(true)
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for p := 0; p < 3; p++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 8; n++ {
				if !callStation(deaf) {
					callStation(good)
				}
			}
		}()
	}
	wg.Wait()
	trace.Stop()
}
