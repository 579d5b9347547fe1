// frontdesk TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// A server with two pages: one asks the registry once, the other four times in a row.
type desk struct {
	mu   sync.Mutex
	free []net.Conn
	addr string
}

func (d *desk) ask() {
	d.mu.Lock()
	var c net.Conn
	if n := len(d.free); n > 0 {
		c, d.free = d.free[n-1], d.free[:n-1]
	}
	d.mu.Unlock()
	if c == nil {
		c, _ = net.Dial("tcp", d.addr)
	}
	c.Write([]byte("x"))
	io.ReadFull(c, make([]byte, 1))
	d.mu.Lock()
	d.free = append(d.free, c)
	d.mu.Unlock()
}

func (d *desk) short(w http.ResponseWriter, r *http.Request) { d.ask() }

func (d *desk) long(w http.ResponseWriter, r *http.Request) {
	for i := 0; i < 4; i++ {
		d.ask()
	}
}

func get(c *http.Client, url string, n int) {
	for i := 0; i < n; i++ {
		r, err := c.Get(url)
		if err != nil {
			panic(err)
		}
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
		time.Sleep(time.Millisecond)
	}
}

func registry(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			for b := make([]byte, 1); ; c.Write(b) {
				if _, err := io.ReadFull(c, b); err != nil {
					return
				}
				time.Sleep(3 * time.Millisecond)
			}
		}()
	}
}

func main() {
	runtime.GOMAXPROCS(6)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if len(os.Args) > 2 { // the registry
		l, err = net.FileListener(os.NewFile(3, "l"))
	}
	if err != nil {
		panic(err)
	}
	if len(os.Args) > 2 {
		time.AfterFunc(10*time.Second, func() { os.Exit(0) })
		registry(l)
	}
	f, _ := l.(*net.TCPListener).File()
	p, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-", "registry"}, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr, f}})
	if err != nil {
		panic(err)
	}
	d := &desk{addr: l.Addr().String()}
	l.Close()
	traced(func() {
		mux := http.NewServeMux()
		mux.HandleFunc("/short", d.short)
		mux.HandleFunc("/long", d.long)
		s, _ := net.Listen("tcp", "127.0.0.1:0")
		go http.Serve(s, mux)
		var wg sync.WaitGroup
		for i := 0; i < 6; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				c := &http.Client{Transport: &http.Transport{}}
				url := "http://" + s.Addr().String()
				if i < 2 {
					get(c, url+"/long", 10)
				} else {
					get(c, url+"/short", 25)
				}
			}()
		}
		wg.Wait()
	})
	p.Kill()
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	work()
	trace.Stop()
	f.Close()
}

// busy keeps the P for d without the processor.
func busy(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
