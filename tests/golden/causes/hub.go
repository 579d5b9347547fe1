// hub TRACE: writes the trace that tests/unit/test_instances.c reads: requests wait while their hub compacts. Built with -trimpath.
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

type req struct{ reply chan int }

type hub struct {
	asks chan req
	tidy chan bool
}

func (h *hub) compactAll() {
	for i := 0; i < 25; i++ {
		busy(time.Millisecond)
	}
}

func (h *hub) loop() {
	for n := 0; ; n++ {
		select {
		case r := <-h.asks:
			busy(30 * time.Microsecond)
			r.reply <- n
		case _, ok := <-h.tidy:
			if !ok {
				return
			}
			h.compactAll()
		}
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	h := &hub{make(chan req), make(chan bool)}
	go h.loop()
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		stop := make(chan bool)
		go func() {
			for {
				select {
				case <-stop:
					close(h.tidy)
					return
				case <-time.After(35 * time.Millisecond):
					h.tidy <- true
				}
			}
		}()
		for c := 0; c < 5; c++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 120; i++ {
					r := req{make(chan int, 1)}
					h.asks <- r
					<-r.reply
					busy(200 * time.Microsecond)
					time.Sleep(500 * time.Microsecond)
				}
			}()
		}
		wg.Wait()
		close(stop)
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

func busy(d time.Duration) {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
