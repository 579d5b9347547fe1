// lanternmen TRACE: writes the trace that tests/unit/test_causes.c reads: each script leaves a job behind that keeps its output open. Built with -trimpath.
package main

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
)

func light(lamp string) []byte {
	said, err := exec.Command("/bin/sh", "-c", "sleep 0.012 & echo lit $0", lamp).CombinedOutput()
	if err != nil {
		panic(err)
	}
	return said
}

func main() {
	runtime.GOMAXPROCS(2)
	f, _ := os.Create(os.Args[1])
	trace.Start(f)
	for i := 0; i < 20; i++ {
		light("lamp")
	}
	trace.Stop()
}
