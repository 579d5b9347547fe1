// examroom TRACE: writes the trace that tests/unit/test_causes.c reads: tests that call Parallel, of which one may run at once; each asks
// another process. Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/trace"
	"testing"
)

var to io.Writer
var from *bufio.Reader

// ask waits for another process.
func ask() {
	fmt.Fprintln(to, "question")
	from.ReadString('\n')
}

func sit(t *testing.T) {
	for i := range 6 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for range 5 {
				ask()
			}
		})
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	sh := exec.Command("sh", "-c", "while read x; do sleep 0.002; echo $x; done")
	to, _ = sh.StdinPipe()
	out, _ := sh.StdoutPipe()
	from = bufio.NewReader(out)
	if err := sh.Start(); err != nil {
		panic(err)
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	os.Args = []string{os.Args[0], "-test.parallel=1"}
	stop := func(*testing.T) { trace.Stop(); f.Close() }
	tests := []testing.InternalTest{{Name: "TestMorning", F: sit}, {Name: "TestNoon", F: sit}, {Name: "TestEvening", F: sit}, {Name: "TestNight", F: stop}}
	testing.Main(regexp.MatchString, tests, nil, nil)
}
