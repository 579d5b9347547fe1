// galley TRACE: writes the trace that tests/unit/test_causes.c reads: three ask (a child process each), and when all are done three work on
// the answers, and then they ask for the next. Built with -trimpath.
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

type hand struct {
	to   io.Writer
	from *bufio.Reader
}

func newHand() hand {
	c := exec.Command("sh", "-c", "while read x; do sleep 0.003; echo $x; done")
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
	return hand{to, bufio.NewReader(from)}
}

func (h hand) fetch() {
	for i := range 2 {
		fmt.Fprintln(h.to, i)
		h.from.ReadString('\n')
	}
}

func (h hand) cook() {
	for t := time.Now(); time.Since(t) < 7*time.Millisecond; {
	}
}

func course(hands []hand, step func(hand)) {
	var wg sync.WaitGroup
	for _, h := range hands {
		wg.Add(1)
		go func() { defer wg.Done(); step(h) }()
	}
	wg.Wait()
}

func main() {
	runtime.GOMAXPROCS(4)
	hands := []hand{newHand(), newHand(), newHand()}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	for range 6 {
		course(hands, hand.fetch)
		course(hands, hand.cook)
	}
	trace.Stop()
	f.Close()
}
