// megaphone TRACE: writes the trace that tests/unit/test_causes.c reads: a speaker hands each word to six listeners, one after the other; one of them is slow. Built with -trimpath.
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

func speak(words chan int, to []chan int) {
	for w := range words {
		for _, c := range to {
			c <- w
		}
	}
	for _, c := range to {
		close(c)
	}
}
func listen(c chan int, slow bool, wg *sync.WaitGroup) {
	defer wg.Done()
	for range c {
		if slow {
			translate()
		} else {
			burn(100 * time.Microsecond)
		}
	}
}
func translate() { time.Sleep(2 * time.Millisecond) }
func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		words, wg, to := make(chan int, 2), sync.WaitGroup{}, []chan int{}
		for i := 0; i < 6; i++ {
			to = append(to, make(chan int))
			wg.Add(1)
			go listen(to[i], i == 2, &wg)
		}
		go speak(words, to)
		for i := 0; i < 50; i++ {
			burn(200 * time.Microsecond)
			words <- i
		}
		close(words)
		wg.Wait()
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

func burn(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
