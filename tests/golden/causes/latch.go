// latch TRACE: writes the trace that tests/unit/test_causes.c reads: guests try a latch again and again while who has it asks the cook, who
// is slow; between they rest. Built with -trimpath.
package main

import (
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type pantry struct {
	latch chan int
	cook  net.Conn
	until time.Time
}

func (p *pantry) lift() {
	for {
		select {
		case p.latch <- 1:
			return
		default:
		}
	}
}

func (p *pantry) ask() {
	var b [1]byte
	p.cook.Write(b[:])
	if _, err := p.cook.Read(b[:]); err != nil {
		panic(err)
	}
	p.until = time.Now().Add(8 * time.Millisecond)
}

func (p *pantry) dine() {
	p.lift()
	if time.Now().After(p.until) {
		p.ask()
	}
	<-p.latch
}

func answer(listener net.Listener) {
	line, err := listener.Accept()
	if err != nil {
		panic(err)
	}
	var b [1]byte
	for {
		if _, err := line.Read(b[:]); err != nil {
			os.Exit(0)
		}
		time.Sleep(2 * time.Millisecond)
		line.Write(b[:])
	}
}

func main() {
	if len(os.Args) > 2 { // the cook, a process of its own
		listener, err := net.Listen("unix", os.Args[2])
		if err != nil {
			panic(err)
		}
		answer(listener)
		return
	}
	runtime.GOMAXPROCS(4)
	at := os.Args[1] + ".sock"
	if _, err := os.StartProcess(os.Args[0], append(os.Args, at), &os.ProcAttr{}); err != nil {
		panic(err)
	}
	line, err := net.Dial("unix", at)
	for ; err != nil; line, err = net.Dial("unix", at) {
		time.Sleep(time.Millisecond)
	}
	os.Remove(at)
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(file); err != nil {
		panic(err)
	}
	p := &pantry{latch: make(chan int, 1), cook: line}
	var guests sync.WaitGroup
	for i := 0; i < 8; i++ {
		guests.Add(1)
		go func() {
			defer guests.Done()
			for j := 0; j < 40; j++ {
				p.dine()
				time.Sleep(time.Duration(300+i*40) * time.Microsecond)
			}
		}()
	}
	guests.Wait()
	trace.Stop()
	file.Close()
}
