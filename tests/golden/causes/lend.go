// lend TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

type conn struct{ id int }
type db struct {
	mu   sync.Mutex
	c    *sync.Cond
	free []*conn
}

func (d *db) borrow() *conn {
	d.mu.Lock()
	for len(d.free) == 0 {
		d.c.Wait()
	}
	c := d.free[len(d.free)-1]
	d.free = d.free[:len(d.free)-1]
	d.mu.Unlock()
	return c
}
func (d *db) giveBack(c *conn) { d.mu.Lock(); d.free = append(d.free, c); d.mu.Unlock(); d.c.Signal() }
func (d *db) runQuery()        { c := d.borrow(); time.Sleep(4 * time.Millisecond); d.giveBack(c) }
func main() {
	runtime.GOMAXPROCS(4)
	d := &db{}
	d.c = sync.NewCond(&d.mu)
	n := 2
	if false {
		n = 20
	}
	for i := 0; i < n; i++ {
		d.free = append(d.free, &conn{i})
	}
	traced(func() {
		var wg sync.WaitGroup
		for w := 0; w < 16; w++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 12; i++ {
					busy(200 * time.Microsecond)
					d.runQuery()
				}
			}()
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
