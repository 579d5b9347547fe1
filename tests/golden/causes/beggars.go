// beggars TRACE: writes the trace that tests/unit/test_causes_said.c reads: every 20th asks twelve times, since it is refused until then; no
// answer takes longer than others. Go 1.27.
package main

import (
	"bufio"
	"context"
	"log"
	"net"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go almoner(l)
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	var w sync.WaitGroup
	for i := 0; i < 3; i++ {
		w.Add(1)
		go func() { defer w.Done(); beggar(i, l.Addr().String()) }()
	}
	w.Wait()
	trace.Stop()
	f.Close()
}

func almoner(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			for b := make([]byte, 1); ; {
				if _, err := c.Read(b); err != nil {
					return
				}
				time.Sleep(time.Millisecond)
				c.Write(b)
			}
		}()
	}
}

func beggar(i int, addr string) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		log.Fatal(err)
	}
	r := bufio.NewReader(c)
	for k := i * 7; k < i*7+30; k++ {
		_, task := trace.NewTask(context.Background(), "alms")
		tries := 1
		if k%20 == 19 {
			tries = 12
		}
		for ; tries > 0; tries-- {
			ask(c, r)
		}
		task.End()
	}
	c.Close()
}

func ask(c net.Conn, r *bufio.Reader) {
	c.Write([]byte{1})
	r.ReadByte()
}
