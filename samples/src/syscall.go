// syscall: short and long system calls. A writer keeps a journal on disk, a reader looks it through, one goroutine
// sits in a blocking read of a pipe that is written to slowly, and a child process runs.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
)

func journal(path string, lines int, wg *sync.WaitGroup) {
	defer wg.Done()
	f, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	for i := 0; i < lines; i++ {
		fmt.Fprintf(f, "entry %d\n", i)
		if i%16 == 15 {
			f.Sync()
		}
	}
}

func look(path string, times int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < times; i++ {
		f, err := os.Open(path)
		if err != nil {
			time.Sleep(100 * time.Microsecond)
			continue
		}
		n := 0
		for s := bufio.NewScanner(f); s.Scan(); {
			n++
		}
		f.Close()
	}
}

// sit reads a pipe without the help of the network poller: the thread blocks, and the processor is taken from it.
func sit(fd int, wg *sync.WaitGroup) {
	defer wg.Done()
	buf := make([]byte, 8)
	for {
		n, err := syscall.Read(fd, buf)
		if n <= 0 || err != nil {
			return
		}
	}
}

func drip(fd, drops int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < drops; i++ {
		time.Sleep(1500 * time.Microsecond)
		syscall.Write(fd, []byte("drip"))
	}
	syscall.Close(fd)
}

func main() {
	out := flag.String("o", "syscall.trace", "the trace's file")
	lines := flag.Int("lines", 400, "journal entries")
	drops := flag.Int("drops", 12, "writes to the pipe")
	flag.Parse()

	f, err := os.Create(*out)
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "syscall")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	wg.Add(4)
	go journal(dir+"/journal", *lines, &wg)
	go look(dir+"/journal", 20, &wg)
	go sit(pipe[0], &wg)
	go drip(pipe[1], *drops, &wg)
	exec.Command("true").Run()
	wg.Wait()
	trace.Stop()
	f.Close()
}
