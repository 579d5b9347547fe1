// cleanlightermen TRACE: writes the trace that tests/unit/test_causes.c reads: travellers call a ferryman each, and take their time between two crossings: raises nothing. Built with -trimpath.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

func ferry(c net.Conn) {
	defer c.Close()
	in := bufio.NewScanner(c)
	for in.Scan() {
		fmt.Fprintln(c, "there")
	}
}

func wait(landing net.Listener) {
	for {
		c, err := landing.Accept()
		if err != nil {
			return
		}
		go ferry(c)
	}
}

func travel(landing string, times int) {
	c, err := net.Dial("tcp", landing)
	if err != nil {
		panic(err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	for i := 0; i < times; i++ {
		fmt.Fprintln(c, "over")
		if _, err := in.ReadString('\n'); err != nil {
			panic(err)
		}
		time.Sleep(8 * time.Millisecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	landing, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go wait(landing)
	time.Sleep(5 * time.Millisecond)
	traced(func() {
		var all sync.WaitGroup
		for i := 0; i < 4; i++ {
			all.Add(1)
			go func() {
				defer all.Done()
				travel(landing.Addr().String(), 40)
			}()
		}
		all.Wait()
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
