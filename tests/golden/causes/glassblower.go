// glassblower TRACE: writes the trace that tests/unit/test_causes.c reads: who brings glass waits three times for each piece, to hand it over and until
// it is blown and cooled; one goroutine, locked to its thread, makes a blocking call for each. Go 1.27.
package main

import (
	"log"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type glass struct{ blown, cooled chan struct{} }

func main() {
	runtime.GOMAXPROCS(8)
	traced(func() {
		oven := make(chan glass)
		go blower(oven)
		sideBySide(6, func(int) {
			for k := 0; k < 30; k++ {
				compute(800 * time.Microsecond)
				g := glass{make(chan struct{}), make(chan struct{})}
				oven <- g
				<-g.blown
				<-g.cooled
			}
		})
	})
}

func blower(oven chan glass) {
	runtime.LockOSThread()
	for g := range oven {
		blow()
		close(g.blown)
		compute(50 * time.Microsecond)
		close(g.cooled)
	}
}

// blow blocks as a call to C does.
func blow() {
	ts := syscall.NsecToTimespec(900000)
	syscall.Syscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

func sideBySide(n int, f func(i int)) {
	var w sync.WaitGroup
	for i := 0; i < n; i++ {
		w.Add(1)
		go func(i int) { defer w.Done(); f(i) }(i)
	}
	w.Wait()
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	work()
	trace.Stop()
	f.Close()
}

// compute keeps the P busy for d.
func compute(d time.Duration) {
	for end, left := time.Now().Add(d), d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
