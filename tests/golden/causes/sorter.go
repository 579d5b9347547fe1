// sorter TRACE: writes the trace that tests/unit/test_causes.c reads: four postmen put parcels on a heap without a bound, faster than the one
// who sorts them can; they only wait for the next van. Built with -trimpath; the trace is compressed (gzip -9).
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

type heap struct {
	mu      sync.Mutex
	parcels []int
	more    chan struct{}
}

func (h *heap) put(parcel int) {
	h.mu.Lock()
	burn(10 * time.Microsecond)
	h.parcels = append(h.parcels, parcel)
	h.mu.Unlock()
	select {
	case h.more <- struct{}{}:
	default:
	}
}

func (h *heap) sort() {
	for range h.more {
		for {
			h.mu.Lock()
			if len(h.parcels) == 0 {
				h.mu.Unlock()
				break
			}
			h.parcels = h.parcels[1:]
			h.mu.Unlock()
			stamp()
		}
	}
}

func stamp() { burn(450 * time.Microsecond) }

// postman calls for the van, waits for it, both over pipes, and puts what it brings on the heap.
func postman(h *heap, call, van *os.File, wg *sync.WaitGroup) {
	defer wg.Done()
	b := make([]byte, 1)
	for i := 0; i < 40; i++ {
		call.Write(b)
		if _, err := van.Read(b); err != nil {
			panic(err)
		}
		for k := 0; k < 2; k++ {
			h.put(i)
		}
	}
	call.Close()
}

func drive(call, van *os.File) {
	b := make([]byte, 1)
	for {
		if n, _ := call.Read(b); n == 0 {
			return
		}
		time.Sleep(2 * time.Millisecond)
		van.Write(b)
	}
}

func pipe() (*os.File, *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	return r, w
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		h := &heap{more: make(chan struct{}, 1)}
		go h.sort()
		for p := 0; p < 4; p++ {
			calls, call := pipe()
			vans, van := pipe()
			wg.Add(1)
			go postman(h, call, vans, &wg)
			go drive(calls, van)
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
