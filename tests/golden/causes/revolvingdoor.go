// revolvingdoor TRACE: writes the trace that tests/unit/test_causes.c reads: porters connect anew for each guest, say who they are, and ask
// one thing. The office is another process. Go 1.27, built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime/trace"
	"strings"
	"sync"
	"time"
)

func ask(c net.Conn, in *bufio.Reader, what string) {
	fmt.Fprintln(c, what)
	in.ReadString('\n')
}

func connect(addr string) net.Conn {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		panic(err)
	}
	return c
}

func announce(addr string) {
	c := connect(addr)
	in := bufio.NewReader(c)
	ask(c, in, "porter")
	ask(c, in, "guest")
	c.Close()
}

func office() {
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	fmt.Println(l.Addr())
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				for in := bufio.NewScanner(c); in.Scan(); {
					time.Sleep(800 * time.Microsecond)
					fmt.Fprintln(c, "yes")
				}
				c.Close()
			}()
		}
	}()
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func main() {
	if len(os.Args) < 2 {
		office()
	}
	cmd := exec.Command(os.Args[0])
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	addr, _ := bufio.NewReader(out).ReadString('\n')
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for porter := 0; porter < 5; porter++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for guest := 0; guest < 20; guest++ {
					announce(strings.TrimSpace(addr))
				}
			}()
		}
		wg.Wait()
	})
	in.Close()
	cmd.Wait()
}

// traced writes the trace of work.
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
