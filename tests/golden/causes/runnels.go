// runnels TRACE: writes the trace that tests/unit/test_causes.c reads: three send lines to a child process (cat), two may be under way;
// one that reads what comes back lets them go on. Built with -trimpath.
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
)

type link struct {
	mu   sync.Mutex
	room *sync.Cond
	left int
	to   io.Writer
}

func (l *link) acks(from io.Reader) {
	r := bufio.NewReader(from)
	for {
		if _, err := r.ReadString('\n'); err != nil {
			return
		}
		l.mu.Lock()
		l.left++
		l.mu.Unlock()
		l.room.Broadcast()
	}
}

func (l *link) reserve() {
	l.mu.Lock()
	for l.left == 0 {
		l.room.Wait()
	}
	l.left--
	l.mu.Unlock()
}

func (l *link) send(i int) {
	l.reserve()
	fmt.Fprintf(l.to, "%d\n", i)
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
	l := &link{left: 8, to: to}
	l.room = sync.NewCond(&l.mu)
	go l.acks(from)
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 30 {
				l.send(i)
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
