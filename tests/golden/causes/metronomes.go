// metronomes TRACE: writes the trace that tests/unit/test_causes_said.c reads: each beats at its own pace, and lets nobody through. Go 1.27.
package main

import (
	"log"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	var w sync.WaitGroup
	for _, every := range []time.Duration{5, 60, 300} {
		w.Add(1)
		go func() { defer w.Done(); beat(every*time.Millisecond, 600*time.Millisecond) }()
	}
	w.Wait()
	trace.Stop()
	f.Close()
}

func beat(every, long time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for end := time.Now().Add(long); time.Now().Before(end); {
		<-t.C
	}
}
