// cleanflights TRACE: writes a trace like the one that tests/unit/test_causes.c reads: twelve goroutines ask for profiles, each its own, side by
// side; the host, which does other work, stops all of them twice at the same moments. Go 1.25.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

var (
	fixed       = true
	out         string
	stopBackend func()
)

type flight struct {
	mu    sync.Mutex
	calls map[string]chan struct{}
}

func (f *flight) Do(key string, fn func()) {
	for {
		f.mu.Lock()
		c, busy := f.calls[key]
		if !busy {
			c = make(chan struct{})
			f.calls[key] = c
			f.mu.Unlock()
			fn()
			f.mu.Lock()
			delete(f.calls, key)
			f.mu.Unlock()
			close(c)
			return
		}
		f.mu.Unlock()
		<-c
	}
}

func flightKeys() {
	a := startBackend()
	f := &flight{calls: map[string]chan struct{}{}}
	traced(func() {
		var wg fanout
		wg.each(12, func(i int) { serveProfiles(f, a, i) })
	})
}

func serveProfiles(f *flight, a string, i int) {
	c := dial(a)
	for k := 0; k < 12; k++ {
		key := "eu"
		if fixed {
			key = fmt.Sprint("eu", i, k)
		}
		f.Do(key, func() { c.delay(2500, "profile") })
		compute(us(200))
	}
}

func traced(work func()) {
	f, err := os.Create(out)
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	began := time.Now()
	work()
	took := time.Since(began)
	trace.Stop()
	f.Close()
	fmt.Printf("wall_ms=%.1f\n", took.Seconds()*1e3)
}

func compute(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}

func us(n int) time.Duration { return time.Duration(n) * time.Microsecond }

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

type fanout struct{ sync.WaitGroup }

func (w *fanout) each(n int, f func(i int)) {
	for i := 0; i < n; i++ {
		w.Add(1)
		go func(i int) { defer w.Done(); f(i) }(i)
	}
	w.Wait()
}

type client struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(a string) *client {
	conn, err := net.Dial("tcp", a)
	if err != nil {
		log.Fatal(err)
	}
	return &client{conn, bufio.NewReader(conn)}
}

func (c *client) ask(line string) string {
	fmt.Fprintln(c.conn, line)
	answer, err := c.in.ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	return strings.TrimSpace(answer)
}

func (c *client) delay(us int, what string) string { return c.ask(fmt.Sprint(us, " ", what)) }

func serveBackend() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	go func() {
		var n int
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				in := bufio.NewScanner(conn)
				for in.Scan() {
					var d int
					var what string
					fmt.Sscan(in.Text(), &d, &what)
					time.Sleep(us(d))
					if what == "rows" { // a cursor: answers row after row
						fmt.Fprintln(conn, "row")
						continue
					}
					if what == "flaky" {
						n++
						if n%3 == 0 {
							fmt.Fprintln(conn, "error")
							continue
						}
					}
					fmt.Fprintln(conn, in.Text())
				}
				conn.Close()
			}()
		}
	}()
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func startBackend() string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "AS_BACKEND=1")
	in, _ := cmd.StdinPipe()
	o, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	a, err := bufio.NewReader(o).ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	stopBackend = func() { in.Close(); cmd.Wait() }
	return strings.TrimSpace(a)
}

func main() {
	if os.Getenv("AS_BACKEND") != "" {
		serveBackend()
	}
	out = os.Args[1]
	runtime.GOMAXPROCS(8)
	flightKeys()
	if stopBackend != nil {
		stopBackend()
	}
}
