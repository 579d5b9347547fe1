// beekeeper TRACE: writes the trace that tests/unit/test_causes.c reads: each question costs six entries in a book, from six lines, and looks at another between, both another process's. Built with -trimpath.
package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func outside(farm net.Listener, house string) { // who is asked and who asks, a process of its own
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
					time.Sleep(600 * time.Microsecond)
					c.Write(b)
				}
			}()
		}
	}()
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 10; n++ {
				r, err := http.Get("http://" + house)
				if err != nil {
					return
				}
				io.Copy(io.Discard, r.Body)
				r.Body.Close()
				time.Sleep(300 * time.Microsecond)
			}
		}()
	}
	wg.Wait()
}

func enter(book net.Conn) {
	book.Write([]byte("x"))
	io.ReadFull(book, make([]byte, 1))
}

func look(hive net.Conn) {
	hive.Write([]byte("x"))
	io.ReadFull(hive, make([]byte, 1))
}

func visit(book, hive net.Conn) {
	enter(book)
	enter(book)
	look(hive)
	enter(book)
	look(hive)
	enter(book)
	enter(book)
	enter(book)
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
	var sides []net.Conn
	for range 8 {
		c, err := net.Dial("tcp", farm.Addr().String())
		if err != nil {
			panic(err)
		}
		sides = append(sides, c)
	}
	traced(os.Args[1], func() {
		f, _ := farm.(*net.TCPListener).File()
		if _, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-", door.Addr().String()}, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr, f}}); err != nil {
			panic(err)
		}
		farm.Close()
		free := make(chan int, 4)
		for i := 0; i < 4; i++ {
			free <- i
		}
		go http.Serve(door, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			i := <-free
			visit(sides[2*i], sides[2*i+1])
			free <- i
		}))
		time.Sleep(110 * time.Millisecond)
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
