// cleanbacklog TRACE: writes the trace that tests/unit/test_causes.c reads: a server: main starts the writer of a log, whose sink is read
// slowly after a while, and then accepts connections. Those that answer drop what the writer has no room for, so nobody waits for it. Built
// with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
)

type chronicler struct {
	lines chan string
	sink  *os.File
	lost  int
}

func (c *chronicler) write() {
	page := make([]byte, 16000)
	for l := range c.lines {
		fmt.Fprintf(c.sink, "%s %s\n", l, page)
	}
}

func (c *chronicler) note(what string) {
	select {
	case c.lines <- what:
	default:
		c.lost++
	}
}

func answer(conn net.Conn, c *chronicler, wg *sync.WaitGroup) {
	defer wg.Done()
	in := bufio.NewReader(conn)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		c.note(line)
		fmt.Fprintf(conn, "%s", line)
	}
}

func ask(addr string) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		panic(err)
	}
	in := bufio.NewReader(conn)
	for i := 0; i < 80; i++ {
		time.Sleep(3 * time.Millisecond)
		fmt.Fprintf(conn, "question %d\n", i)
		in.ReadString('\n')
	}
	conn.Close()
}

func main() {
	if len(os.Args) > 2 {
		ask(os.Args[2])
		return
	}
	var fd [2]int
	if err := syscall.Pipe(fd[:]); err != nil {
		panic(err)
	}
	syscall.SetNonblock(fd[1], true)
	c := &chronicler{lines: make(chan string, 4), sink: os.NewFile(uintptr(fd[1]), "sink")}
	slow := func() {
		b := make([]byte, 4096)
		for began := time.Now(); ; {
			if time.Since(began) > 90*time.Millisecond {
				time.Sleep(900 * time.Microsecond)
			}
			if n, err := syscall.Read(fd[0], b); n <= 0 || err != nil {
				return
			}
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	for i := 0; i < 3; i++ {
		exec.Command(os.Args[0], os.Args[1], ln.Addr().String()).Start()
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	go slow()
	go c.write()
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		conn, err := ln.Accept()
		if err != nil {
			panic(err)
		}
		wg.Add(1)
		go answer(conn, c, &wg)
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
