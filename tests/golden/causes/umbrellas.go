// umbrellas TRACE: writes the trace that tests/unit/test_causes.c reads: who borrows does not give back; finalizers do, behind the
// collections that large blocks bring about. Go 1.22, built with -trimpath.
package main

import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type umbrella struct {
	s    *stand
	size [1000]byte
}
type stand struct{ free chan struct{} }

func (s *stand) borrow() *umbrella {
	s.free <- struct{}{}
	u := &umbrella{s: s}
	runtime.SetFinalizer(u, (*umbrella).giveBack)
	return u
}
func (u *umbrella) giveBack() { <-u.s.free }

func walk(s *stand) {
	u := s.borrow()
	time.Sleep(200 * time.Microsecond)
	u.size[0]++
}

var sink []byte

func main() {
	runtime.GOMAXPROCS(4)
	traced(os.Args[1], func() {
		s := &stand{make(chan struct{}, 8)}
		var wg sync.WaitGroup
		for w := 0; w < 4; w++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 12; i++ {
					walk(s)
				}
			}()
		}
		done := make(chan bool)
		go func() { wg.Wait(); close(done) }()
		for {
			select {
			case <-done:
				return
			case <-time.After(4 * time.Millisecond):
				sink = make([]byte, 8<<20)
			}
		}
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
