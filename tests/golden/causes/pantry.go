// pantry TRACE: writes the trace that tests/unit/test_causes.c reads: Signal wakes who can't use what came, and what was put is seen only when a janitor wakes all. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type pantry struct {
	mu          sync.Mutex
	c           *sync.Cond
	bread, soup int
	closed      bool
}

func (p *pantry) eat(soup bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if p.closed {
			return false
		}
		if soup && p.soup > 0 {
			p.soup--
			return true
		}
		if !soup && p.bread > 0 {
			p.bread--
			return true
		}
		p.c.Wait()
	}
}
func (p *pantry) put(soup bool) {
	p.mu.Lock()
	if soup {
		p.soup++
	} else {
		p.bread++
	}
	p.mu.Unlock()
	if fixed {
		p.c.Broadcast()
	} else {
		p.c.Signal()
	}
}
func janitor(p *pantry, stop chan int) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		time.Sleep(20 * time.Millisecond)
		p.c.Broadcast()
	}
}
func guest(p *pantry, soup bool, full chan int) {
	for p.eat(soup) {
		burn(200 * time.Microsecond)
		full <- 1
	}
}

var fixed = len(os.Args) > 2

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		p := &pantry{}
		p.c = sync.NewCond(&p.mu)
		full, stop := make(chan int), make(chan int)
		for i := 0; i < 3; i++ {
			go guest(p, i%2 == 0, full)
		}
		go janitor(p, stop)
		for i := 0; i < 80; i++ {
			p.put(i%2 == 0)
			<-full
			burn(300 * time.Microsecond)
		}
		close(stop)
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		p.c.Broadcast()
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

func burn(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
