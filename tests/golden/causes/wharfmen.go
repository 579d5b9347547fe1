// wharfmen TRACE [crew | moorings | tallybook | dredgers | countersign]: writes the traces that tests/unit/test_causes.c reads: wharfmen ask a wharf, a process of its own, each time over a new connection, or (crew) each over one of its own; or (moorings) the harbour master asks it nine times in a row before anybody works, or (tallybook) a clerk asks and works by turns; or (dredgers) what four bring is put together by one; or (countersign) the first that comes asks for the word of the hour, and the others wait for it. Built with -trimpath.
package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func wharf(l net.Listener) { // answers after as many times 100 us as it is asked for
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		go func() {
			b := make([]byte, 1)
			for {
				if _, err := c.Read(b); err != nil {
					return
				}
				time.Sleep(time.Duration(b[0]) * 100 * time.Microsecond)
				c.Write(b)
			}
		}()
	}
}

func ask(c net.Conn, long byte) {
	b := []byte{long}
	c.Write(b)
	if _, err := c.Read(b); err != nil {
		panic(err)
	}
}

var at string

func hail() net.Conn {
	c, err := net.Dial("tcp", at)
	if err != nil {
		panic(err)
	}
	return c
}

func ferryOver() {
	c := hail()
	ask(c, 5)
	c.Close()
}

func moor(i int) net.Conn {
	c := hail()
	for k := 0; k < 3; k++ {
		ask(c, 80)
	}
	return c
}

func work(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

func crew(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := 0; i < n; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			f(i)
		}()
	}
	all.Wait()
}

func unload(how string) {
	switch how {
	case "": // each crossing over a new connection
		crew(6, func(int) {
			for k := 0; k < 12; k++ {
				ferryOver()
			}
		})
	case "crew": // each over its own
		crew(64, func(int) {
			c := hail()
			for k := 0; k < 6; k++ {
				ask(c, 5)
			}
		})
	case "moorings":
		var conn [3]net.Conn
		for i := range conn {
			conn[i] = moor(i)
		}
		crew(3, func(i int) {
			for k := 0; k < 12; k++ {
				ask(conn[i], 5)
				work(2 * time.Millisecond)
			}
		})
	case "tallybook":
		c := hail()
		for k := 0; k < 20; k++ {
			ask(c, 25)
			work(6 * time.Millisecond)
		}
	case "countersign":
		var mu sync.Mutex
		var conn [6]net.Conn
		for i := range conn {
			conn[i] = hail()
		}
		hour := 0
		crew(6, func(i int) {
			for k := 0; k < 24; k++ {
				mu.Lock()
				if hour < k/6+1 {
					ask(conn[i], 60)
					hour = k/6 + 1
				}
				mu.Unlock()
				ask(conn[i], 5)
			}
		})
	case "dredgers":
		for k := 0; k < 8; k++ {
			crew(4, func(int) { work(3 * time.Millisecond) })
			work(7 * time.Millisecond)
		}
	}
}

func main() {
	runtime.GOMAXPROCS(8)
	if os.Args[1] == "wharf" {
		l, err := net.FileListener(os.NewFile(3, "wharf"))
		if err != nil {
			panic(err)
		}
		wharf(l)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	lf, _ := l.(*net.TCPListener).File()
	at = l.Addr().String()
	out := exec.Command(os.Args[0], "wharf")
	out.ExtraFiles = []*os.File{lf}
	in, _ := out.StdinPipe()
	if err := out.Start(); err != nil {
		panic(err)
	}
	l.Close()
	how := ""
	if len(os.Args) > 2 {
		how = os.Args[2]
	}
	ask(hail(), 0)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	unload(how)
	trace.Stop()
	if err := f.Close(); err != nil {
		panic(err)
	}
	in.Close()
	out.Wait()
}
