// cleanoffice TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

// Clients and the server that answers them in one process: what they wait for is its work.
func answer(c net.Conn) {
	for b := make([]byte, 1); ; {
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		busy(12 * time.Millisecond)
		c.Write(b)
	}
}

func ask(addr string) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		panic(err)
	}
	defer c.Close()
	for i := 0; i < 20; i++ {
		c.Write([]byte("x"))
		io.ReadFull(c, make([]byte, 1))
		time.Sleep(time.Millisecond)
	}
}

func main() {
	runtime.GOMAXPROCS(8)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	traced(func() {
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go answer(c)
			}
		}()
		var wg sync.WaitGroup
		for i := 0; i < 3; i++ {
			wg.Add(1)
			go func() { defer wg.Done(); ask(l.Addr().String()) }()
		}
		wg.Wait()
		l.Close()
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
