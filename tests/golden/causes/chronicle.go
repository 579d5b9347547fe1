// chronicle TRACE: writes the trace that tests/unit/test_causes.c reads: requests hand their log lines over a channel to one writer, and
// what it writes to, a pipe, is read slowly: that is waited for, and nothing comes from there that would let anybody send. Built with
// -trimpath.
package main

import (
	"fmt"
	"os"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
)

type chronicler struct {
	lines chan string
	sink  *os.File
}

func (c *chronicler) write() {
	page := make([]byte, 16000)
	for l := range c.lines {
		fmt.Fprintf(c.sink, "%s %s\n", l, page)
	}
}

func (c *chronicler) note(what string) { c.lines <- what }

func visitor(c *chronicler, door *os.File, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 9; i++ {
		c.note("comes")
		time.Sleep(time.Millisecond)
		fmt.Fprintln(door, "welcome")
		c.note("goes")
		fmt.Fprintln(door, "bye")
	}
}

func main() {
	var fd [2]int
	if err := syscall.Pipe(fd[:]); err != nil {
		panic(err)
	}
	syscall.SetNonblock(fd[1], true)
	c := &chronicler{make(chan string, 4), os.NewFile(uintptr(fd[1]), "sink")}
	go func() { // slow
		b := make([]byte, 4096)
		for {
			time.Sleep(500 * time.Microsecond)
			if n, err := syscall.Read(fd[0], b); n <= 0 || err != nil {
				return
			}
		}
	}()
	door, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	go c.write()
	var wg sync.WaitGroup
	for i := 0; i < 6; i++ {
		wg.Add(1)
		go visitor(c, door, &wg)
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
