// tollbar TRACE: writes the trace that tests/unit/test_causes.c reads: who has one of two gates open asks another process meanwhile, and five wait for the gates. Built with -trimpath.
package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type bar struct{ gates chan int }

func (b *bar) pass(c net.Conn) {
	b.gates <- 1
	defer func() { <-b.gates }()
	burn(50 * time.Microsecond)
	askToll(c)
}
func askToll(c net.Conn) {
	var a [1]byte
	c.Write(a[:])
	io.ReadFull(c, a[:])
}
func carter(b *bar, addr string, wg *sync.WaitGroup) {
	defer wg.Done()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		panic(err)
	}
	defer c.Close()
	for i := 0; i < 12; i++ {
		b.pass(c)
	}
}
func office() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(l.Addr().String())
	os.Stdout.Close()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			var a [1]byte
			for {
				if _, err := io.ReadFull(c, a[:]); err != nil {
					return
				}
				time.Sleep(11 * time.Millisecond)
				c.Write(a[:])
			}
		}()
	}
}
func main() {
	runtime.GOMAXPROCS(4)
	if len(os.Args) == 1 {
		office()
		return
	}
	child := exec.Command("/proc/self/exe")
	out, _ := child.StdoutPipe()
	if err := child.Start(); err != nil {
		panic(err)
	}
	addr, _ := io.ReadAll(out)
	traced(os.Args[1], func() {
		b := &bar{make(chan int, 2)}
		var wg sync.WaitGroup
		for i := 0; i < 7; i++ {
			wg.Add(1)
			go carter(b, string(addr), &wg)
		}
		wg.Wait()
	})
	child.Process.Kill()
	child.Wait()
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
