// cleanframes TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

// One goroutine moves the world at a fixed rate and has time to spare; players work on what it hands them.
func move(frames int, player []chan int) {
	next := time.Now()
	for n := 0; n < frames; n++ {
		busy(7 * time.Millisecond)
		for _, p := range player {
			select {
			case p <- n:
			default:
			}
		}
		next = next.Add(16 * time.Millisecond)
		time.Sleep(time.Until(next))
	}
}

func play(in chan int) {
	for range in {
		busy(800 * time.Microsecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		var wg sync.WaitGroup
		var player []chan int
		for i := 0; i < 8; i++ {
			c := make(chan int, 2)
			player = append(player, c)
			wg.Add(1)
			go func() { defer wg.Done(); play(c) }()
		}
		move(30, player)
		for _, c := range player {
			close(c)
		}
		wg.Wait()
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

// busy keeps the P for d without the processor.
func busy(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
