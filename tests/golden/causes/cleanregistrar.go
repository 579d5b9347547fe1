// cleanregistrar TRACE: writes the trace that tests/unit/test_causes.c reads: one asks elsewhere for all that want something by then. Built with -trimpath.
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

func serve(l net.Listener) { // the other side, a process of its own
	c, err := l.Accept()
	if err != nil {
		panic(err)
	}
	for b := make([]byte, 1); ; {
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		time.Sleep(time.Millisecond)
		c.Write(b)
	}
}

type wish struct {
	name int
	done chan bool
}

// registrar enters all that stand before him with one question.
func registrar(c net.Conn, in chan wish) {
	for w := range in {
		all := []wish{w}
	more:
		for {
			select {
			case w := <-in:
				all = append(all, w)
			default:
				break more
			}
		}
		c.Write([]byte{byte(len(all))})
		io.ReadFull(c, make([]byte, 1))
		for _, w := range all {
			w.done <- true
		}
	}
}

func register(in chan wish, name int) {
	w := wish{name, make(chan bool, 1)}
	in <- w
	<-w.done
}

func main() {
	runtime.GOMAXPROCS(4)
	if len(os.Args) > 2 {
		l, err := net.FileListener(os.NewFile(3, "l"))
		if err != nil {
			panic(err)
		}
		serve(l)
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	f, _ := l.(*net.TCPListener).File()
	if _, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-", "serve"}, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr, f}}); err != nil {
		panic(err)
	}
	l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	traced(os.Args[1], func() {
		in := make(chan wish, 16)
		go registrar(c, in)
		var wg sync.WaitGroup
		for i := 0; i < 10; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for k := 0; k < 30; k++ {
					register(in, k)
				}
			}()
		}
		wg.Wait()
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
