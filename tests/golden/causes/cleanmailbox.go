// cleanmailbox TRACE: writes the trace that tests/unit/test_causes.c reads: three readers ask another process for letters, which answers
// at once if there is one and after 20 ms if not. Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
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

func main() {
	if len(os.Args) > 2 {
		serve()
		return
	}
	runtime.GOMAXPROCS(4)
	office := exec.Command(os.Args[0], os.Args[1], "serve")
	out, err := office.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := office.Start(); err != nil {
		panic(err)
	}
	var addr string
	fmt.Fscanln(out, &addr)
	defer office.Process.Kill()
	traced(func() {
		var wg sync.WaitGroup
		for i := 0; i < 3; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				b := open(addr)
				for n := i; n < 24+i; n++ {
					if b.ask(n) {
						busy(800 * time.Microsecond)
					}
				}
			}()
		}
		wg.Wait()
	})
}

type box struct {
	c net.Conn
	r *bufio.Reader
}

func open(addr string) *box {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		panic(err)
	}
	return &box{c, bufio.NewReader(c)}
}

func (b *box) ask(n int) bool {
	fmt.Fprintln(b.c, n)
	s, _ := b.r.ReadString('\n')
	return s == "letter\n"
}

func serve() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			var n int
			for r := bufio.NewReader(c); ; {
				if _, err := fmt.Fscanln(r, &n); err != nil {
					return
				}
				if n%3 == 0 {
					time.Sleep(2 * time.Millisecond)
					fmt.Fprintln(c, "letter")
				} else {
					time.Sleep(20 * time.Millisecond)
					fmt.Fprintln(c, "none")
				}
			}
		}()
	}
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
