// clerks TRACE: writes the trace that tests/unit/test_causes.c reads: three callers post under one lock, one of them for long. Built with -trimpath.
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

var ledger sync.Mutex

func post(d time.Duration) { ledger.Lock(); burn(d); ledger.Unlock() }
func importRow()           { post(500 * time.Microsecond) }
func payBill()             { post(60 * time.Microsecond) }
func giveBack()            { post(60 * time.Microsecond) }
func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for k := 0; k < 8; k++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 20; i++ {
					switch i % 4 {
					default:
						importRow()
					case 1:
						payBill()
					case 3:
						giveBack()
					}
					burn(200 * time.Microsecond)
				}
			}()
		}
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
