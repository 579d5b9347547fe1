// weathermen TRACE: writes the trace that tests/unit/test_causes.c reads: what is known of three places gets old, and all who look then ask the office, which answers two at a time. Built with -trimpath.
package main

import (
	"math/rand"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type forecasts struct {
	mu    sync.Mutex
	until [3]time.Time
	desks chan bool
}

func (f *forecasts) askOffice(place int) {
	f.desks <- true
	time.Sleep(4 * time.Millisecond)
	<-f.desks
	f.mu.Lock()
	f.until[place] = time.Now().Add(25 * time.Millisecond)
	f.mu.Unlock()
}

func (f *forecasts) look(place int) {
	f.mu.Lock()
	fresh := time.Now().Before(f.until[place])
	f.mu.Unlock()
	if !fresh {
		f.askOffice(place)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	f := &forecasts{desks: make(chan bool, 2)}
	traced(func() {
		var all sync.WaitGroup
		for i := 0; i < 16; i++ {
			all.Add(1)
			go func() {
				defer all.Done()
				for k := 0; k < 70; k++ {
					time.Sleep(time.Duration(900+rand.Intn(500)) * time.Microsecond)
					f.look(k / 24)
				}
			}()
		}
		all.Wait()
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
