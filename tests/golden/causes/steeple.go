// steeple TRACE: writes a trace like the one that tests/unit/test_causes.c reads: four tables are built one after the other, while a heartbeat, a
// log, health checks and a reload of the configuration go on beside it; then eight workers use them. Go 1.23.
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
	fixed       bool
	noisy       = true
	out         string
	stopBackend func()
)

func bootup() {
	traced(func() {
		if fixed {
			var wg fanout
			wg.each(4, func(i int) { buildTable(i) })
		} else {
			buildTables()
		}
		var wg fanout
		wg.each(8, func(i int) {
			for k := 0; k < 20; k++ {
				compute(ms(5))
			}
		})
	})
}

func buildTables() {
	for i := 0; i < 4; i++ {
		buildTable(i)
	}
}

func buildTable(i int) {
	for k := 0; k < 10; k++ {
		compute(ms(6))
	}
}

func noise() func() {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	lines := make(chan string, 64)
	spawn := func(f func()) { wg.Add(1); go func() { defer wg.Done(); f() }() }
	spawn(func() { metricsLoop(stop, lines) })
	spawn(func() { logWriter(stop, lines) })
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	go healthServer(l)
	for i := 0; i < 2; i++ {
		spawn(func() { healthProbe(stop, l.Addr().String()) })
	}
	var mu sync.Mutex
	for i := 0; i < 3; i++ {
		spawn(func() { refreshConfig(stop, &mu) })
	}
	return func() { close(stop); wg.Wait(); l.Close() }
}

func metricsLoop(stop chan struct{}, lines chan string) {
	t := time.NewTicker(ms(5))
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			compute(us(50))
			lines <- "tick"
		}
	}
}

func logWriter(stop chan struct{}, lines chan string) {
	w := bufio.NewWriter(io.Discard)
	for {
		select {
		case <-stop:
			return
		case s := <-lines:
			fmt.Fprintln(w, s)
		}
	}
}

func healthServer(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			in := bufio.NewScanner(c)
			for in.Scan() {
				compute(us(100))
				fmt.Fprintln(c, "ok")
			}
		}()
	}
}

func healthProbe(stop chan struct{}, a string) {
	c := dial(a)
	defer c.conn.Close()
	for {
		select {
		case <-stop:
			return
		case <-time.After(ms(7)):
			c.ask("health")
		}
	}
}

func refreshConfig(stop chan struct{}, mu *sync.Mutex) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(ms(10)):
			mu.Lock()
			compute(us(150))
			mu.Unlock()
		}
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
	var stopNoise func()
	if noisy {
		stopNoise = noise()
	}
	began := time.Now()
	work()
	took := time.Since(began)
	if stopNoise != nil {
		stopNoise()
	}
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
	bootup()
	if stopBackend != nil {
		stopBackend()
	}
}
