// flight TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"io"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type call struct{ wg sync.WaitGroup }
type profiles struct {
	mu   sync.Mutex
	m    map[int]*call
	addr string
}

func (p *profiles) loadProfile(k int) {
	c, err := net.Dial("tcp", p.addr)
	if err != nil {
		panic(err)
	}
	defer c.Close()
	c.Write([]byte("x"))
	io.ReadFull(c, make([]byte, 1))
}
func (p *profiles) get(k int) {
	p.mu.Lock()
	c := p.m[k]
	if c == nil {
		c = &call{}
		c.wg.Add(1)
		p.m[k] = c
		p.mu.Unlock()
		p.loadProfile(k)
		c.wg.Done()
		return
	}
	p.mu.Unlock()
	c.wg.Wait()
}
func main() {
	runtime.GOMAXPROCS(4)
	ln, _ := net.Listen("tcp", "127.0.0.1:0")
	slow := 25 * time.Millisecond
	if false {
		slow = 300 * time.Microsecond
	}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() { b := make([]byte, 1); io.ReadFull(c, b); time.Sleep(slow); c.Write(b); c.Close() }()
		}
	}()
	p := &profiles{m: map[int]*call{}, addr: ln.Addr().String()}
	traced(func() {
		var wg sync.WaitGroup
		for w := 0; w < 10; w++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 200; i++ {
					p.get(i / 12)
					busy(150 * time.Microsecond)
				}
			}()
		}
		wg.Wait()
	})
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
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

// busy keeps the P for d without the processor.
func busy(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
