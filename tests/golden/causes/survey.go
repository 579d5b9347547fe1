// survey TRACE: writes the trace that tests/unit/test_causes.c reads: three ask a child process each, six times one behind the other, and
// then work on the answers, all their lives. Built with -trimpath.
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

type surveyor struct {
	to   io.Writer
	from *bufio.Reader
}

func newSurveyor() surveyor {
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
	return surveyor{to, bufio.NewReader(from)}
}

func (s surveyor) measure(i int) {
	fmt.Fprintln(s.to, i)
	s.from.ReadString('\n')
}

func (s surveyor) field() {
	for i := range 6 {
		s.measure(i)
	}
	for t := time.Now(); time.Since(t) < 600*time.Microsecond; {
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	var v [3]surveyor
	for i := range v {
		v[i] = newSurveyor()
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for _, s := range v {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 12 {
				s.field()
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
