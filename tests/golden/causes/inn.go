// inn TRACE [rooms|keys]: writes the traces inn*.trace that tests/unit/test_causes.c reads. A service over HTTP asks a back end for
// keys over pooled connections; both the guests and the back end are a process of their own. rooms: two connections for
// six guests; keys: four keys one after the other at one line; else neither.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type room struct {
	net.Conn
	rd *bufio.Reader
}

type inn struct {
	free chan *room
	many int
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (i *inn) take() *room { return <-i.free }

func (r *room) ask(key string) {
	fmt.Fprintln(r, key)
	r.rd.ReadString('\n')
}

func (i *inn) lookUp(key string) {
	r := i.take()
	defer func() { i.free <- r }()
	r.ask(key)
}

func (i *inn) guestPage(w http.ResponseWriter, _ *http.Request) {
	for k := 0; k < i.many; k++ {
		i.lookUp("key")
	}
	io.WriteString(w, "welcome")
}

func keeper(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			for rd := bufio.NewReader(c); ; {
				if _, err := rd.ReadString('\n'); err != nil {
					return
				}
				time.Sleep(time.Millisecond)
				io.WriteString(c, "ok\n")
			}
		}()
	}
}

func guests(addr string) {
	var wg sync.WaitGroup
	for g := 0; g < 6; g++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 12; n++ {
				r, err := http.Get("http://" + addr)
				must(err)
				io.Copy(io.Discard, r.Body)
				r.Body.Close()
				time.Sleep(2 * time.Millisecond)
			}
		}()
	}
	wg.Wait()
}

func outside() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	go keeper(l)
	fmt.Println(l.Addr())
	var addr string
	fmt.Scanln(&addr)
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 8
	guests(addr)
}

func main() {
	if len(os.Args) == 1 {
		outside()
		return
	}
	runtime.GOMAXPROCS(4)
	i := &inn{free: make(chan *room, 8), many: 1}
	rooms := 8
	if len(os.Args) > 2 && os.Args[2] == "rooms" {
		rooms = 2
	}
	if len(os.Args) > 2 && os.Args[2] == "keys" {
		i.many = 4
	}
	cmd := exec.Command(os.Args[0])
	in, err := cmd.StdinPipe()
	must(err)
	out, err := cmd.StdoutPipe()
	must(err)
	must(cmd.Start())
	var addr string
	fmt.Fscanln(out, &addr)
	for k := 0; k < rooms; k++ {
		c, err := net.Dial("tcp", addr)
		must(err)
		i.free <- &room{c, bufio.NewReader(c)}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	f, err := os.Create(os.Args[1])
	must(err)
	must(trace.Start(f))
	http.HandleFunc("/", i.guestPage)
	go http.Serve(l, nil)
	fmt.Fprintln(in, l.Addr())
	must(cmd.Wait())
	trace.Stop()
	must(f.Close())
}
