// gatekeys TRACE: writes the trace that tests/unit/test_causes.c reads: one asks a desk a hundred times in a row, for letters mostly, and for
// parcels and keys: three callers of one function. Built with -trimpath.
package main

import (
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

type desk struct{ line net.Conn }

//go:noinline
func (d *desk) ask() {
	var b [1]byte
	d.line.Write(b[:])
	if _, err := d.line.Read(b[:]); err != nil {
		panic(err)
	}
}

//go:noinline
func (d *desk) letter() { d.ask() }

//go:noinline
func (d *desk) parcel() { d.ask() }

//go:noinline
func (d *desk) key() { d.ask() }

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
				time.Sleep(2 * time.Millisecond)
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
	d := &desk{}
	for d.line == nil {
		if line, err := net.Dial("unix", at); err == nil {
			d.line = line
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
	for i := 0; i < 100; i++ {
		switch i % 10 {
		case 3, 6:
			d.parcel()
		case 9:
			d.key()
		default:
			d.letter()
		}
	}
	trace.Stop()
	f.Close()
}
