// ration TRACE: writes the trace that tests/unit/test_causes.c reads: two calculate, and a process of its own stops the program for the
// last 60 of each 100 ms, as a CPU quota does. Built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"strconv"
	"sync"
	"syscall"
	"time"
)

func count(n uint32) (sum uint32) {
	for i := uint32(0); i < n; i++ {
		sum = sum*31 + i
	}
	return sum
}

func hold(pid int) {
	began := time.Now()
	for i := time.Duration(0); ; i++ {
		time.Sleep(time.Until(began.Add((i*100 + 40) * time.Millisecond)))
		if syscall.Kill(pid, syscall.SIGSTOP) != nil {
			return
		}
		time.Sleep(time.Until(began.Add((i + 1) * 100 * time.Millisecond)))
		syscall.Kill(pid, syscall.SIGCONT)
	}
}

func main() {
	if len(os.Args) > 2 {
		pid, _ := strconv.Atoi(os.Args[2])
		hold(pid)
		return
	}
	runtime.GOMAXPROCS(2)
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(file); err != nil {
		panic(err)
	}
	holder, err := os.StartProcess(os.Args[0], append(os.Args, strconv.Itoa(os.Getpid())), &os.ProcAttr{})
	if err != nil {
		panic(err)
	}
	var both sync.WaitGroup
	for range 2 {
		both.Add(1)
		go func() {
			defer both.Done()
			for began := time.Now(); time.Since(began) < 600*time.Millisecond; {
				count(100000)
			}
		}()
	}
	both.Wait()
	holder.Kill()
	trace.Stop()
	file.Close()
}
