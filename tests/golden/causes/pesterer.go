// pesterer TRACE: writes the trace that tests/unit/test_causes.c reads: five ask a child process (cat) each. One is refused, and asks again at
// once; the others ask three times and rest between. Built with -trimpath.
package main

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type desk struct {
	to   io.WriteCloser
	from io.Reader
}

func open() desk {
	c := exec.Command("cat")
	to, err := c.StdinPipe()
	if err != nil {
		panic(err)
	}
	from, err := c.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := c.Start(); err != nil {
		panic(err)
	}
	return desk{to, from}
}

func (d desk) ask() {
	var b [8]byte
	d.to.Write([]byte("please?\n"))
	io.ReadFull(d.from, b[:])
}

func main() {
	runtime.GOMAXPROCS(2)
	var desks [5]desk
	for i := range desks {
		desks[i] = open()
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for i, d := range desks {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 3 || i == 0 && k < 1200; k++ {
				d.ask()
				if i > 0 {
					time.Sleep(2 * time.Millisecond)
				}
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
