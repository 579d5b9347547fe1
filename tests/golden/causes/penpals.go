// penpals TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

// Three write to a pal each, a letter at a time, and wait for what comes back through a pipe. Each letter is a piece of work of its own.
type pal struct {
	to   *os.File
	from *bufio.Reader
}

func newPal() *pal {
	in, to, _ := os.Pipe()
	from, out, _ := os.Pipe()
	cmd := exec.Command(os.Args[0])
	cmd.Stdin, cmd.Stdout = in, out
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	in.Close()
	out.Close()
	return &pal{to, bufio.NewReader(from)}
}

func (p *pal) write(n int) {
	fmt.Fprintln(p.to, "letter", n)
	if _, err := p.from.ReadString('\n'); err != nil {
		panic(err)
	}
}

func main() {
	if len(os.Args) < 2 { // a pal
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			time.Sleep(1500 * time.Microsecond)
			fmt.Println("answer to", in.Text())
		}
		return
	}
	runtime.GOMAXPROCS(4)
	pals := []*pal{newPal(), newPal(), newPal()}
	traced(func() {
		var wg sync.WaitGroup
		for _, p := range pals {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for n := 0; n < 30; n++ {
					p.write(n)
				}
			}()
		}
		wg.Wait()
	})
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
