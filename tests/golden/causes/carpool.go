// carpool TRACE: writes the trace that tests/unit/test_causes.c reads: all questions share one flight, and tasks that have to ask are slow.
// Built with -trimpath.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type call struct {
	wg      sync.WaitGroup
	id, val int
}
type flights struct {
	mu  sync.Mutex
	cur *call
}

func (f *flights) do(id int) int {
	for {
		f.mu.Lock()
		if c := f.cur; c != nil {
			f.mu.Unlock()
			c.wg.Wait()
			if c.id == id {
				return c.val
			}
			continue
		}
		c := &call{id: id}
		c.wg.Add(1)
		f.cur = c
		f.mu.Unlock()
		c.val = loadUser(id)
		f.mu.Lock()
		f.cur = nil
		f.mu.Unlock()
		c.wg.Done()
		return c.val
	}
}
func loadUser(id int) int { time.Sleep(time.Millisecond); return id }
func ride(f *flights, who, n int) {
	_, task := trace.NewTask(context.Background(), "ride")
	defer task.End()
	burn(100 * time.Microsecond)
	if n%3 == 2 { // the others are known already
		f.do(who)
	}
}
func main() {
	runtime.GOMAXPROCS(8)
	traced(os.Args[1], func() {
		f, wg := &flights{}, sync.WaitGroup{}
		for w := 0; w < 7; w++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 24; i++ {
					ride(f, w, i)
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
