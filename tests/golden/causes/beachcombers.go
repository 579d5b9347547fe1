// beachcombers TRACE [clean]: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// What the sea brings lies there after two milliseconds or so; who waits for it goes to look each 9. Clean: somebody calls.
type shore struct {
	folder string
	calls  bool
	come   chan bool
}

func (s *shore) there(name string) bool {
	_, err := os.Stat(filepath.Join(s.folder, name))
	return err == nil
}

func (s *shore) find(name string) {
	if s.calls {
		<-s.come
	}
	for !s.there(name) {
		time.Sleep(9 * time.Millisecond)
	}
}

func comb(s *shore, i int) {
	for n := 0; n < 12; n++ {
		name := fmt.Sprint(i, "-", n)
		time.AfterFunc(time.Duration(1500+500*(n%4))*time.Microsecond, func() {
			os.WriteFile(filepath.Join(s.folder, name), nil, 0o600)
			if s.calls {
				s.come <- true
			}
		})
		s.find(name)
		os.Remove(filepath.Join(s.folder, name))
		busy(200 * time.Microsecond)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	folder, err := os.MkdirTemp("", "shore")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	traced(func() {
		var wg sync.WaitGroup
		for i := 0; i < 5; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				comb(&shore{folder, len(os.Args) > 2, make(chan bool)}, i)
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
