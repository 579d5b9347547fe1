// flusher TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
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

type wal struct {
	mu         sync.Mutex
	c          *sync.Cond
	done, want int
	f          *os.File
}

func (w *wal) commit() {
	w.mu.Lock()
	w.want++
	n := w.want
	for w.done < n {
		w.c.Wait()
	}
	w.mu.Unlock()
}
func (w *wal) syncLoop(stop *bool) {
	for {
		w.mu.Lock()
		n := w.want
		if *stop {
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		if n > w.done {
			w.f.Write(make([]byte, 4096))
			ts := syscall.NsecToTimespec(4e6)
			syscall.Nanosleep(&ts, nil)
			w.mu.Lock()
			w.done = n
			w.c.Broadcast()
			w.mu.Unlock()
		} else {
			time.Sleep(100 * time.Microsecond)
		}
	}
}
func client(w *wal, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 60; i++ {
		w.commit()
		burn(100 * time.Microsecond)
	}
}
func main() {
	runtime.GOMAXPROCS(6)
	f, _ := os.CreateTemp("", "wal")
	defer os.Remove(f.Name())
	traced(os.Args[1], func() {
		w := &wal{f: f}
		w.c = sync.NewCond(&w.mu)
		stop := false
		go w.syncLoop(&stop)
		var wg sync.WaitGroup
		for i := 0; i < 6; i++ {
			wg.Add(1)
			go client(w, &wg)
		}
		wg.Wait()
		w.mu.Lock()
		stop = true
		w.mu.Unlock()
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
