// A town hall: who speaks in a chamber writes what he says to all who listen there, one after the other, while he holds the
// chamber; one of those listens slowly, so all that want to speak wait. With -speakers 4 few wait for each.
package main

import (
	"bufio"
	"flag"
	"net"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

type listener struct {
	conn  net.Conn
	queue chan []byte
}

type chamber struct {
	mu        sync.Mutex
	listeners []*listener
}

var queued = flag.Bool("fixed", false, "a queue per listener")
var many = flag.Int("chambers", 2, "as many")
var speakers = flag.Int("speakers", 12, "as many")
var slow = flag.String("slow", "8ms", "how long a slow one takes for 64 KB")
var pause = flag.Duration("pause", 2*time.Millisecond, "between two lines")

//go:noinline
func tell(m *listener, b []byte) {
	m.conn.Write(b)
}

//go:noinline
func (r *chamber) proclaim(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.listeners {
		if *queued {
			select {
			case m.queue <- b:
			default:
			}
			continue
		}
		tell(m, b)
	}
}

// Says a line each few milliseconds.
//
//go:noinline
func speak(r *chamber, lines int, wg *sync.WaitGroup) {
	defer wg.Done()
	b := make([]byte, 16<<10)
	for i := 0; i < lines; i++ {
		time.Sleep(*pause)
		r.proclaim(b)
	}
}

func pump(m *listener) {
	for b := range m.queue {
		m.conn.Write(b)
	}
}

func reader(c net.Conn, pause time.Duration) {
	b := bufio.NewReaderSize(c, 64<<10)
	buf := make([]byte, 64<<10)
	for {
		if _, err := b.Read(buf); err != nil {
			return
		}
		time.Sleep(pause)
	}
}

func main() {
	out := flag.String("o", "townhall.trace", "")
	flag.Parse()
	if os.Getenv("TOWNHALL") != "" {
		c, _ := net.Dial("tcp", os.Getenv("TOWNHALL"))
		p, _ := time.ParseDuration(os.Getenv("TOWNHALL_PAUSE"))
		reader(c, p)
		return
	}
	ln, _ := net.Listen("tcp", "127.0.0.1:0")
	chambers := make([]chamber, *many)
	for i := 0; i < 4**many; i++ {
		p := "100us"
		if i < *many && i != 1 {
			p = *slow
		}
		a := &os.ProcAttr{Env: append(os.Environ(), "TOWNHALL="+ln.Addr().String(), "TOWNHALL_PAUSE="+p), Files: []*os.File{nil, nil, os.Stderr}}
		pr, _ := os.StartProcess(os.Args[0], os.Args, a)
		defer pr.Kill()
		c, _ := ln.Accept()
		c.(*net.TCPConn).SetWriteBuffer(32 << 10)
		m := &listener{c, make(chan []byte, 4)}
		if *queued {
			go pump(m)
		}
		chambers[i%*many].listeners = append(chambers[i%*many].listeners, m)
	}
	f, _ := os.Create(*out)
	trace.Start(f)
	var wg sync.WaitGroup
	for i := 0; i < *speakers; i++ {
		wg.Add(1)
		go speak(&chambers[i%*many], 20, &wg)
	}
	t := time.Now()
	wg.Wait()
	trace.Stop()
	f.Close()
	println(time.Since(t).String())
}
