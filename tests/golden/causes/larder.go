// larder TRACE: writes the trace that tests/unit/test_causes.c reads: guests are served from what is there, while it is asked in the background what comes next. Built with -trimpath.
package main

import (
	"io"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func outside(farm net.Listener, house string) { // the farms and the guests, a process of its own
	go func() {
		for {
			c, err := farm.Accept()
			if err != nil {
				panic(err)
			}
			go func() {
				for b := make([]byte, 1); ; {
					if _, err := io.ReadFull(c, b); err != nil {
						os.Exit(0)
					}
					time.Sleep(12 * time.Millisecond)
					c.Write(b)
				}
			}()
		}
	}()
	for b := make([]byte, 1); ; {
		c, err := net.Dial("tcp", house)
		for n := 0; err == nil && n < 8; n++ {
			time.Sleep(2 * time.Millisecond)
			c.Write(b)
			io.ReadFull(c, b)
		}
		if err != nil {
			return
		}
		c.Close()
	}
}

func order(c net.Conn, wg *sync.WaitGroup) {
	defer wg.Done()
	c.Write([]byte("x"))
	io.ReadFull(c, make([]byte, 1))
}

func restock(farms []net.Conn) {
	for {
		var wg sync.WaitGroup
		for _, c := range farms {
			wg.Add(1)
			go order(c, &wg)
		}
		wg.Wait()
	}
}

func dish(c net.Conn) {
	defer c.Close()
	for b := make([]byte, 1); ; {
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		c.Write(b)
	}
}

func house(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go dish(c)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	if len(os.Args) > 2 {
		farm, err := net.FileListener(os.NewFile(3, "farm"))
		if err != nil {
			panic(err)
		}
		outside(farm, os.Args[2])
		return
	}
	farm, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	door, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	var farms []net.Conn
	for range 3 {
		c, err := net.Dial("tcp", farm.Addr().String())
		if err != nil {
			panic(err)
		}
		farms = append(farms, c)
	}
	traced(os.Args[1], func() {
		f, _ := farm.(*net.TCPListener).File()
		if _, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-", door.Addr().String()}, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr, f}}); err != nil {
			panic(err)
		}
		farm.Close()
		go restock(farms)
		go house(door)
		time.Sleep(200 * time.Millisecond)
	})
}

func traced(path string, work func()) {
	f, err := os.Create(path)
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
