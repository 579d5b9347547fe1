// cleanbakers TRACE: writes the trace that tests/unit/test_causes.c reads: bakers knead what comes, each for himself; now and then the world is stopped,
// and with it all that knead at that moment. Go 1.25.
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

func main() {
	runtime.GOMAXPROCS(8)
	dough := make(chan int)
	traced(func() {
		done := make(chan bool)
		go func() {
			var m runtime.MemStats
			for {
				select {
				case <-done:
					return
				case <-time.After(9 * time.Millisecond):
					runtime.ReadMemStats(&m)
				}
			}
		}()
		go func() {
			for i := 0; i < 800; i++ {
				dough <- i
			}
			close(dough)
		}()
		var w sync.WaitGroup
		for i := 0; i < 6; i++ {
			w.Add(1)
			go baker(dough, &w)
		}
		w.Wait()
		close(done)
	})
}

func baker(dough chan int, w *sync.WaitGroup) {
	for range dough {
		bake()
		time.Sleep(300 * time.Microsecond)
	}
	w.Done()
}

func bake() { knead() }

func knead() { compute(900 * time.Microsecond) }

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
