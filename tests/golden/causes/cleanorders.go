// cleanorders TRACE: writes the trace that tests/unit/test_causes.c reads: orders come from a child process to one that reads, which hands
// them on; two that fill them tell the other side so, in two lines for each three. Nothing is asked for. Built with -trimpath.
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

type orders struct {
	mu   sync.Mutex
	more *sync.Cond
	v    []string
	done bool
}

func (o *orders) read(from io.Reader) {
	for r := bufio.NewReader(from); ; {
		s, err := r.ReadString('\n')
		o.mu.Lock()
		o.v = append(o.v, s)
		o.done = err != nil
		o.mu.Unlock()
		o.more.Broadcast()
		if err != nil {
			return
		}
	}
}

func (o *orders) next() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.v) == 0 && !o.done {
		o.more.Wait()
	}
	if len(o.v) == 0 {
		return ""
	}
	s := o.v[0]
	o.v = o.v[1:]
	return s
}

func (o *orders) fill(to io.Writer) {
	for n := 1; ; n++ {
		if o.next() == "" {
			return
		}
		if n%3 == 0 {
			fmt.Fprintln(to, "three filled")
			fmt.Fprintln(to, "thank you")
		}
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	c := exec.Command("sh", "-c", "i=0; while [ $i -lt 90 ]; do sleep 0.001; echo $i; i=$((i+1)); done")
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
	o := &orders{}
	o.more = sync.NewCond(&o.mu)
	go o.read(from)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() { defer wg.Done(); o.fill(to) }()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
