// diary TRACE: writes the trace that tests/unit/test_causes.c reads; what must be told of it stands there. Built with -trimpath.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

// Each day's entry is written by writing all of the diary anew.
type diary struct{ days int }

func (d *diary) copyOut() {
	busy(time.Duration(d.days) * 30 * time.Microsecond)
}

func (d *diary) write() {
	ctx, task := trace.NewTask(context.Background(), "day")
	defer task.End()
	trace.WithRegion(ctx, "think", func() { busy(200 * time.Microsecond) })
	d.days++
	defer trace.StartRegion(ctx, "keep").End()
	d.copyOut()
	os.Stat("/")
}

func main() {
	runtime.GOMAXPROCS(4)
	traced(func() {
		d := &diary{}
		for i := 0; i < 80; i++ {
			d.write()
			time.Sleep(100 * time.Microsecond)
		}
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

