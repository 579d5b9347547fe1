// cleanspelling TRACE: writes the trace that tests/unit/test_causes.c reads: a goroutine for each sentence hands its letters over one by one, and is
// left where it is when the last is there. Those that are left queue while the next ones are read; nobody woke them as a crowd. Built with
// -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
)

const sentence = "quick zephyr"

var sum, spun int

func spell(to chan<- byte) {
	for i := 0; i < len(sentence); i++ {
		to <- sentence[i]
	}
	sum++
}

func read() {
	letters := make(chan byte)
	go spell(letters)
	for i := 0; i < len(sentence); i++ {
		sum += int(<-letters)
	}
	for i := 0; i < 40000; i++ {
		sum += i & 3
	}
}

func grind(until chan bool) {
	for {
		select {
		case <-until:
			return
		default:
		}
		for i := 0; i < 1000000; i++ {
			spun += i & 7
		}
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	until := make(chan bool)
	go grind(until)
	for i := 0; i < 160; i++ {
		read()
	}
	close(until)
	trace.Stop()
	f.Close()
}
