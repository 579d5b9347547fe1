// cleanfranking TRACE: writes the trace that tests/unit/test_causes.c reads. Clerks answer who brought a letter, then look
// for the next one: all letters take about as long, but for a few postcards.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type letter struct{ done chan bool }

// frank keeps its processor, and the host none.
func frank(l letter) {
	pause := syscall.NsecToTimespec(int64(2500 * time.Microsecond))
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0)
	l.done <- true
}

func stamp(letter) {}

func clerk(counter <-chan letter) {
	for l := range counter {
		if l.done == nil {
			stamp(l)
			continue
		}
		frank(l)
	}
}

func bring(counter chan<- letter, letters int) {
	for i := 0; i < letters; i++ {
		l := letter{make(chan bool, 1)}
		counter <- l
		<-l.done
		time.Sleep(300 * time.Microsecond)
		if i%8 == 0 {
			counter <- letter{}
			time.Sleep(300 * time.Microsecond)
		}
	}
}

func main() {
	runtime.GOMAXPROCS(12)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	counter := make(chan letter, 32)
	for i := 0; i < 8; i++ {
		go clerk(counter)
	}
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			bring(counter, 25)
		}()
	}
	wg.Wait()
	trace.Stop()
}
