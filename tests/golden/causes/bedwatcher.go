// bedwatcher TRACE: writes the trace that tests/unit/test_causes_said.c reads: a folder is opened once, and each bed in it is looked at.
// Built with -trimpath.
package main

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/trace"
)

func look(garden string) {
	f, err := os.Open(garden)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	for range 600 {
		if _, err := os.Lstat(filepath.Join(garden, "bed")); err != nil {
			panic(err)
		}
	}
	if _, err := f.Readdirnames(-1); err != nil {
		panic(err)
	}
}
func main() {
	runtime.GOMAXPROCS(2)
	garden := os.Args[1] + ".garden"
	os.Mkdir(garden, 0o755)
	os.WriteFile(filepath.Join(garden, "bed"), nil, 0o644)
	defer os.RemoveAll(garden)
	traced(os.Args[1], func() {
		done := make(chan bool)
		go func() {
			look(garden)
			done <- true
		}()
		<-done
	})
}
func traced(path string, work func()) {
	f, err := os.Create(path)
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
