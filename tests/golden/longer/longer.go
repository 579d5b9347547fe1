// longer.go - tasks that run, a few of them for much longer than the others: `longer work TRACE` because they have more to do,
// `longer host TRACE` because the process is stopped from outside meanwhile. With CPU samples if there is a third argument.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/pprof"
	"runtime/trace"
	"time"
)

var sum uint64

//go:noinline
func compute(n int) {
	for i := 0; i < n; i++ {
		sum = sum*6364136223846793005 + 1442695040888963407
	}
}

func main() {
	n := 1 << 20
	for t := time.Now(); time.Since(t) < 4*time.Millisecond; n += n / 8 {
		t = time.Now()
		compute(n)
	}
	f, _ := os.Create(os.Args[2])
	if len(os.Args) > 3 {
		pprof.StartCPUProfile(&bytes.Buffer{})
	}
	trace.Start(f)
	for i := 0; i < 120; i++ {
		_, task := trace.NewTask(context.Background(), "order")
		k := n
		var c *exec.Cmd
		if i%20 == 19 && os.Args[1] == "work" {
			k = 12 * n
		} else if i%20 == 19 {
			c = exec.Command("sh", "-c", fmt.Sprintf("sleep .002; kill -STOP %d; sleep .05; kill -CONT %d", os.Getpid(), os.Getpid()))
			c.Start()
			k = 3 * n
		}
		compute(k)
		task.End()
		if c != nil {
			c.Wait()
		}
	}
	trace.Stop()
	pprof.StopCPUProfile()
	f.Close()
}
