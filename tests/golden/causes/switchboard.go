// switchboard TRACE: writes the trace that tests/unit/test_causes.c reads: eight questions, one behind the other, in each page, over one
// connection (to a child process) whose answers one goroutine reads and hands out. Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"strconv"
	"strings"
	"sync"
	"time"
)

type board struct {
	mu   sync.Mutex
	wait map[int]chan string
	n    int
	to   io.Writer
}

func (b *board) answers(from io.Reader) {
	for r := bufio.NewReader(from); ; {
		s, err := r.ReadString('\n')
		if err != nil {
			return
		}
		k, _ := strconv.Atoi(strings.TrimSpace(s))
		b.mu.Lock()
		c := b.wait[k]
		delete(b.wait, k)
		b.mu.Unlock()
		c <- s
	}
}

func (b *board) ask() string {
	c := make(chan string, 1)
	b.mu.Lock()
	b.n++
	k := b.n
	b.wait[k] = c
	b.mu.Unlock()
	fmt.Fprintf(b.to, "%d\n", k)
	return <-c
}

func (b *board) page() {
	for range 8 {
		b.ask()
	}
	for t := time.Now(); time.Since(t) < 200*time.Microsecond; {
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	c := exec.Command("sh", "-c", "while read x; do sleep 0.001; echo $x; done")
	to, err := c.StdinPipe()
	if err != nil {
		panic(err)
	}
	from, err := c.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := c.Start(); err != nil {
		panic(err)
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	b := &board{wait: map[int]chan string{}, to: to}
	go b.answers(from)
	for range 12 {
		b.page()
	}
	trace.Stop()
	f.Close()
}
