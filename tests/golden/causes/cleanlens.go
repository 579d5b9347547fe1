// cleanlens TRACE: writes the trace that tests/unit/test_causes.c reads. Each slide is read, looked at and described: slides are
// thicker towards the end of the box, so looking grows a little; describing takes most of the time and is the same for all.
package main

import (
	"io"
	"os"
	"runtime"
	"runtime/trace"
	"syscall"
	"time"
	"unsafe"
)

func burn(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

func spin(n int) {
	for x := 1; n > 0; n-- {
		x = x*3 + n
		if x == 0 {
			return
		}
	}
}

func look(f *os.File, thick int) {
	var b [16]byte
	for at := int64(0); ; at += 16 {
		if _, err := f.ReadAt(b[:], at); err == io.EOF {
			return
		}
		spin(thick)
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	slide, err := os.CreateTemp("", "slide")
	if err != nil {
		panic(err)
	}
	os.Remove(slide.Name())
	slide.WriteString("a slide of glass")
	trace.Start(f)
	for i := 0; i < 100; i++ {
		look(slide, 8000+i*400)
		burn(400 * time.Microsecond)
	}
	trace.Stop()
	f.Close()
}
