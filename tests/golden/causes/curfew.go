// curfew TRACE: writes the trace that tests/unit/test_causes.c reads: at night the warden has one porter after the other shut a gate, and waits for
// each before he tells the next, though each gate has a porter of its own. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

type gate struct {
	carts         chan int
	night, isShut chan bool
}

func (g *gate) porter() {
	for {
		select {
		case <-g.carts:
			busy(100 * time.Microsecond)
		case <-g.night:
			busy(4 * time.Millisecond)
			g.isShut <- true
			return
		}
	}
}

func (g *gate) shut() {
	g.night <- true
	<-g.isShut
}

func curfew(gates []*gate) {
	for _, g := range gates {
		g.shut()
	}
}

func main() {
	runtime.GOMAXPROCS(8)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var gates []*gate
	for i := 0; i < 16; i++ {
		g := &gate{make(chan int), make(chan bool), make(chan bool)}
		gates = append(gates, g)
		go g.porter()
	}
	for cart := 0; cart < 400; cart++ {
		gates[cart%len(gates)].carts <- cart
	}
	curfew(gates)
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
