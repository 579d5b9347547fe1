// bellboys TRACE: writes the trace that tests/unit/test_causes.c reads: each 80 ms there are six errands for three, who ask a child
// process each for every one of them, and rest until the next bell. Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type boy struct {
	to   io.Writer
	from *bufio.Reader
}

func newBoy() boy {
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
	return boy{to, bufio.NewReader(from)}
}

func (b boy) run(room int) {
	fmt.Fprintln(b.to, room)
	b.from.ReadString('\n')
}

func main() {
	runtime.GOMAXPROCS(4)
	boys := []boy{newBoy(), newBoy(), newBoy()}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	errands := make(chan int)
	var wg sync.WaitGroup
	for _, b := range boys {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for room := range errands {
				for range 4 {
					b.run(room)
				}
			}
		}()
	}
	bell := time.NewTicker(80 * time.Millisecond)
	for range 6 {
		<-bell.C
		for room := range 6 {
			errands <- room
		}
	}
	close(errands)
	wg.Wait()
	trace.Stop()
	f.Close()
}
