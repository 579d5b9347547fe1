// mirror TRACE: writes the trace that tests/unit/test_causes.c reads: a mirror asks for row after row, but nobody waits for it: that is the lock. Built with -trimpath.
package main

import (
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

func answer(l net.Listener) {
	c, err := l.Accept()
	b := make([]byte, 8)
	for err == nil {
		if _, err = c.Read(b); err == nil {
			time.Sleep(700 * time.Microsecond)
			c.Write(b)
		}
	}
}
func copyRow(c net.Conn) { b := make([]byte, 8); c.Write(b); c.Read(b) }
func mirror(c net.Conn) {
	for {
		for i := 0; i < 6; i++ {
			copyRow(c)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

var tally sync.Mutex

func addUp() { tally.Lock(); burn(600 * time.Microsecond); tally.Unlock() }
func main() {
	runtime.GOMAXPROCS(8)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go answer(l)
	c, _ := net.Dial("tcp", l.Addr().String())
	traced(os.Args[1], func() {
		go mirror(c)
		var wg sync.WaitGroup
		for i := 0; i < 4; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 40; i++ {
					addUp()
					burn(200 * time.Microsecond)
				}
			}()
		}
		wg.Wait()
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
