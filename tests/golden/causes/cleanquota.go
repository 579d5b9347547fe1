// cleanquota TRACE: writes the trace that tests/unit/test_causes.c reads: three ask a slow desk, together no oftener than the desk allows,
// by a clock that they wait for. Built with -trimpath.
package main

import (
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type desk struct {
	line  chan net.Conn
	quota *time.Ticker
}

func (d *desk) ask() {
	<-d.quota.C
	line := <-d.line
	var b [1]byte
	line.Write(b[:])
	if _, err := line.Read(b[:]); err != nil {
		panic(err)
	}
	d.line <- line
}

func answer(listener net.Listener) {
	for {
		line, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			var b [1]byte
			for {
				if _, err := line.Read(b[:]); err != nil {
					os.Exit(0)
				}
				time.Sleep(14 * time.Millisecond)
				line.Write(b[:])
			}
		}()
	}
}

func main() {
	if len(os.Args) > 2 { // the desk, a process of its own
		listener, err := net.Listen("unix", os.Args[2])
		if err != nil {
			panic(err)
		}
		answer(listener)
		return
	}
	runtime.GOMAXPROCS(2)
	at := os.Args[1] + ".sock"
	if _, err := os.StartProcess(os.Args[0], append(os.Args, at), &os.ProcAttr{}); err != nil {
		panic(err)
	}
	d := &desk{line: make(chan net.Conn, 3), quota: time.NewTicker(8 * time.Millisecond)}
	for len(d.line) < 3 {
		if line, err := net.Dial("unix", at); err == nil {
			d.line <- line
		}
	}
	os.Remove(at)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var all sync.WaitGroup
	for i := 0; i < 3; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := 0; k < 20; k++ {
				d.ask()
			}
		}()
	}
	all.Wait()
	trace.Stop()
	f.Close()
}
