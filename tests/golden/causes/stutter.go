// stutter TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"io"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

// One after the other rows are sent and confirmed; now and then the program stands still for as long as several of them take.
func serve(l net.Listener) {
	c, err := l.Accept()
	if err != nil {
		panic(err)
	}
	for b := make([]byte, 1); ; {
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		time.Sleep(time.Millisecond)
		c.Write(b)
	}
}

func sendRow(c net.Conn) {
	c.Write([]byte("x"))
	io.ReadFull(c, make([]byte, 1))
}

func main() {
	runtime.GOMAXPROCS(4)
	if len(os.Args) > 2 { // the other side
		l, err := net.FileListener(os.NewFile(3, "l"))
		if err != nil {
			panic(err)
		}
		serve(l)
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	f, _ := l.(*net.TCPListener).File()
	if _, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-", "serve"}, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr, f}}); err != nil {
		panic(err)
	}
	l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	traced(func() {
		for i := 0; i < 120; i++ {
			sendRow(c)
			if i < 60 && i%2 == 0 {
				busy(4 * time.Millisecond)
			}
		}
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

