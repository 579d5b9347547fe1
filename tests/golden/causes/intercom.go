// intercom TRACE: writes the trace that tests/unit/test_causes.c reads: a waiter asks the kitchen for each plate over a net.Pipe, twenty
// times for each table. Go 1.25, built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime/trace"
	"time"
)

func kitchen(c net.Conn) {
	in := bufio.NewScanner(c)
	for in.Scan() {
		time.Sleep(700 * time.Microsecond)
		fmt.Fprintln(c, "plate")
	}
}

func askPlate(c net.Conn, in *bufio.Scanner) {
	fmt.Fprintln(c, "plate?")
	in.Scan()
}

func serveTable(c net.Conn, in *bufio.Scanner) {
	for plate := 0; plate < 20; plate++ {
		askPlate(c, in)
	}
	time.Sleep(2 * time.Millisecond)
}

func main() {
	here, there := net.Pipe()
	go kitchen(there)
	traced(os.Args[1], func() {
		in := bufio.NewScanner(here)
		for table := 0; table < 6; table++ {
			serveTable(here, in)
		}
	})
}

// traced writes the trace of work.
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
