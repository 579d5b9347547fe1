// Wherrymen wait for who calls them from the other bank, each in a blocking system call of its own: a call keeps its
// processor until the runtime takes it away, and the wherrymen that could row wait for one.
package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"syscall"
	"time"
)

const wherrymen, crossings = 24, 30

// bank is the other process: it calls each ferryman and waits until he is over.
func bank(ports string) {
	var wg sync.WaitGroup
	for _, port := range strings.Split(ports, ",") {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c, err := net.Dial("udp4", "127.0.0.1:"+port)
			if err != nil {
				panic(err)
			}
			b := make([]byte, 16)
			for i := 0; i < crossings; i++ {
				c.Write(b)
				c.Read(b)
				time.Sleep(200 * time.Microsecond)
			}
		}()
	}
	wg.Wait()
}

func row(b []byte) (sum byte) {
	for i := 0; i < 4000; i++ {
		sum += b[i%len(b)]
	}
	return sum
}

func await(fd int, b []byte) syscall.Sockaddr {
	_, from, err := syscall.Recvfrom(fd, b, 0)
	if err != nil {
		panic(err)
	}
	return from
}

func ferry(fd int) {
	b := make([]byte, 16)
	for i := 0; i < crossings; i++ {
		from := await(fd, b)
		b[0] = row(b)
		syscall.Sendto(fd, b, 0, from)
	}
}

func main() {
	if len(os.Args) > 2 {
		bank(os.Args[2])
		return
	}
	runtime.GOMAXPROCS(2)
	var fds []int
	var ports []string
	for i := 0; i < wherrymen; i++ {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
		if err != nil {
			panic(err)
		}
		syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
		at, _ := syscall.Getsockname(fd)
		fds = append(fds, fd)
		ports = append(ports, fmt.Sprint(at.(*syscall.SockaddrInet4).Port))
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	trace.Start(f)
	other := exec.Command(os.Args[0], "bank", strings.Join(ports, ","))
	if err := other.Start(); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for _, fd := range fds {
		wg.Add(1)
		go func() {
			defer wg.Done()
			ferry(fd)
		}()
	}
	wg.Wait()
	trace.Stop()
	other.Wait()
}
