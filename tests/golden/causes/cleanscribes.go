// cleanscribes TRACE: writes the traces that tests/unit/test_causes.c reads (cleanscribes with Go 1.27, cleancopyists with 1.21). Scribes add a line each to one book and wait until it is
// safely kept; whoever finds nobody at it keeps the book for all that have written by then.
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

type book struct {
	mu      sync.Mutex
	file    *os.File
	written []chan struct{}
	keeping bool
}

func (b *book) keepAll() {
	for len(b.written) > 0 {
		safe := b.written
		b.written = nil
		b.mu.Unlock()
		b.file.Sync()
		for _, s := range safe {
			close(s)
		}
		b.mu.Lock()
	}
}

func (b *book) add(line string) {
	safe := make(chan struct{})
	b.mu.Lock()
	b.file.WriteString(line)
	b.written = append(b.written, safe)
	if !b.keeping {
		b.keeping = true
		b.keepAll()
		b.keeping = false
	}
	b.mu.Unlock()
	<-safe
}

// think keeps its processor, and the host none.
func think() {
	pause := syscall.NsecToTimespec(int64(150 * time.Microsecond))
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0)
}

func scribe(b *book) {
	for i := 0; i < 30; i++ {
		b.add("a line\n")
		think()
	}
}

func main() {
	runtime.GOMAXPROCS(8)
	page, err := os.CreateTemp(".", "book")
	if err != nil {
		panic(err)
	}
	defer os.Remove(page.Name())
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	b := &book{file: page}
	var wg sync.WaitGroup
	for i := 0; i < 10; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); scribe(b) }()
	}
	wg.Wait()
	trace.Stop()
}
