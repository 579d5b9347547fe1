// parcels TRACE: writes the trace that tests/unit/test_causes.c reads: parcels to one of six places take long, and each logs its place.
// Built with -trimpath.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

var places = []string{"Aarau", "Brig", "Iseltwald", "Sion", "Thun", "Zug"}

func ship(place string) {
	if place == "Iseltwald" {
		time.Sleep(9 * time.Millisecond)
	}
	time.Sleep(800 * time.Microsecond)
}

func carry(place string) {
	ctx, task := trace.NewTask(context.Background(), "parcel")
	defer task.End()
	trace.Log(ctx, "to", place)
	ship(place)
}

func main() {
	runtime.GOMAXPROCS(2)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := range 36 {
				carry(places[(i*7+k*5)%6])
			}
		}()
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
