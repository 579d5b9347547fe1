// armoury TRACE [spell | news]: writes the traces that tests/unit/test_causes.c reads: four squires ask an armoury, a process of its own, whose answers take long from some moment on, or (spell) for a while; or (news) they ask for nothing, and there is less to tell from some moment on. Built with -trimpath.
package main

import (
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func armoury(l net.Listener) { // answers after as many times 50 us as it is asked for
	for {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		go func() {
			b := make([]byte, 1)
			c.Read(b)
			for i := 0; b[0] == 0; i++ {
				time.Sleep(150 * time.Microsecond)
				if i >= 130 {
					time.Sleep(5 * time.Millisecond)
				}
				c.Write(b)
			}
			for c.Write(b); ; {
				if _, err := c.Read(b); err != nil {
					os.Exit(0)
				}
				time.Sleep(time.Duration(b[0]) * 50 * time.Microsecond)
				c.Write(b)
			}
		}()
	}
}

func fetch(c net.Conn, news, long bool) {
	b := []byte{3}
	if long {
		b[0] = 100
	}
	if !news {
		c.Write(b)
	}
	if _, err := c.Read(b); err != nil {
		panic(err)
	}
}

func squire(c net.Conn, how string) {
	spell, news := how == "spell", how == "news"
	for i := 0; i < 150; i++ {
		fetch(c, news, i >= 130 && !spell || spell && i >= 60 && i < 70)
	}
}

func main() {
	runtime.GOMAXPROCS(8)
	if os.Args[1] == "armoury" {
		l, err := net.FileListener(os.NewFile(3, "armoury"))
		if err != nil {
			panic(err)
		}
		armoury(l)
	}
	l, err := net.Listen("unix", "@armoury")
	if err != nil {
		panic(err)
	}
	lf, _ := l.(*net.UnixListener).File()
	out := exec.Command(os.Args[0], "armoury")
	out.ExtraFiles = []*os.File{lf}
	if err := out.Start(); err != nil {
		panic(err)
	}
	how := ""
	if len(os.Args) > 2 {
		how = os.Args[2]
	}
	var conn [4]net.Conn
	for i := range conn {
		if conn[i], err = net.Dial("unix", l.Addr().String()); err != nil {
			panic(err)
		}
		if how == "news" {
			conn[i].Write([]byte{0})
		} else {
			fetch(conn[i], false, false)
		}
	}
	traced(os.Args[1], func() {
		var squires sync.WaitGroup
		for i := range conn {
			squires.Add(1)
			go func() {
				defer squires.Done()
				squire(conn[i], how)
			}()
		}
		squires.Wait()
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
	if err := f.Close(); err != nil {
		panic(err)
	}
}
