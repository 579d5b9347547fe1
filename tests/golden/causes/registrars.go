// registrars TRACE: writes the trace that tests/unit/test_causes.c reads: three write each deed to the register and sync it, each for itself.
// Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

func enter(register *os.File, deed int) {
	if _, err := register.WriteString("deed\n"); err != nil {
		panic(err)
	}
	if err := register.Sync(); err != nil {
		panic(err)
	}
}

func deed(n int, done chan bool) {
	register, err := os.CreateTemp(".", "register")
	if err != nil {
		panic(err)
	}
	defer os.Remove(register.Name())
	enter(register, n)
	done <- true
}

func registrar(deeds int, wg *sync.WaitGroup) {
	defer wg.Done()
	done := make(chan bool)
	for i := 0; i < deeds; i++ {
		go deed(i, done)
		<-done
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for i := 0; i < 3; i++ {
			wg.Add(1)
			go registrar(20, &wg)
		}
		go func() {
			wg.Wait()
			w.Close()
		}()
		r.Read(make([]byte, 1))
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
