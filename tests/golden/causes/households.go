// households TRACE: writes the trace that tests/unit/test_causes.c reads. Each household sends four people, by a helper of the program's own, on
// four errands, and waits for all of them; one errand takes longest.
package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

type household struct{ wg sync.WaitGroup }

func (h *household) send(errand func()) {
	h.wg.Add(1)
	go func() {
		defer h.wg.Done()
		errand()
	}()
}

func fetchWater()  { time.Sleep(500 * time.Microsecond) }
func buyBread()    { time.Sleep(700 * time.Microsecond) }
func askDoctor()   { time.Sleep(6 * time.Millisecond) }
func postLetters() { time.Sleep(300 * time.Microsecond) }

func morning() {
	var h household
	h.send(fetchWater)
	h.send(buyBread)
	h.send(askDoctor)
	h.send(postLetters)
	h.wg.Wait()
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var all sync.WaitGroup
	for i := 0; i < 3; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for day := 0; day < 12; day++ {
				morning()
			}
		}()
	}
	all.Wait()
	trace.Stop()
}
