// registrar TRACE: writes the trace that tests/unit/test_causes.c reads. One goroutine owns the books; most entries are quick, some
// copies take long, and the clerks' entries stand behind these.
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

func burn(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}

type books struct{ do chan func() }

func (b *books) own() {
	for f := range b.do {
		f()
	}
}

func copyAll() { burn(9 * time.Millisecond) }

func (b *books) enter() { b.do <- func() { burn(30 * time.Microsecond) } }

func clerk(b *books) {
	for i := 0; i < 32; i++ {
		b.enter()
		time.Sleep(2 * time.Millisecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	trace.Start(f)
	b := &books{do: make(chan func())}
	go b.own()
	var wg sync.WaitGroup
	for i := 0; i < 6; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			clerk(b)
		}()
	}
	for i := 0; i < 5; i++ {
		time.Sleep(12 * time.Millisecond)
		b.do <- copyAll
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
