// lateasker TRACE: writes the trace that tests/unit/test_causes_said.c reads: of ten that ask a child process (cat) one after the other the last
// one has 400 questions: the others are gone by then, and say nothing of how often one asks. Built with -trimpath.
package main

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"time"
)

func main() {
	runtime.GOMAXPROCS(2)
	c := exec.Command("cat")
	to, _ := c.StdinPipe()
	from, _ := c.StdoutPipe()
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
	for i := range 10 {
		go func() {
			for k := 0; k < 1 || i == 9 && k < 400; k++ {
				var b [8]byte
				to.Write([]byte("please?\n"))
				io.ReadFull(from, b[:])
			}
		}()
		time.Sleep(time.Millisecond)
	}
	time.Sleep(40 * time.Millisecond)
	trace.Stop()
	f.Close()
}
