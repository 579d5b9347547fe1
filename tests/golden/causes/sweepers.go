// sweepers TRACE: writes the trace that tests/unit/test_causes.c reads: while a porter answers the door, a housekeeper has one room swept
// at a time. Built with -trimpath.
package main

import (
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

func sweep(free chan bool) {
	burn(400 * time.Microsecond)
	<-free
}

func housekeeper(rooms int, done *os.File) {
	free := make(chan bool, 1)
	for i := 0; i < rooms; i++ {
		free <- true
		go sweep(free)
	}
	free <- true
	done.Close()
}

func guest(c net.Conn) {
	c.Write([]byte("good evening"))
	c.Close()
}

func porter(door net.Listener) {
	for {
		c, err := door.Accept()
		if err != nil {
			return
		}
		go guest(c)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	door, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	traced(os.Args[1], func() {
		go porter(door)
		go housekeeper(30, w)
		for i := 0; i < 4; i++ {
			c, err := net.Dial("tcp", door.Addr().String())
			if err != nil {
				panic(err)
			}
			c.Read(make([]byte, 16))
			c.Close()
		}
		r.Read(make([]byte, 1))
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
