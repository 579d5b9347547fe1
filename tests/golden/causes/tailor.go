// tailor TRACE CLEAN: writes the traces that tests/unit/test_causes.c reads. A service over HTTP asks the cloth store, another process, for each of eight pieces of a coat, one after the other, and who orders coats is in the service's own process. CLEAN: it asks for all at once. Built with -trimpath.
package main

import (
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

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func get(url string) {
	r, err := http.Get(url)
	must(err)
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
}

type tailor struct {
	store  string
	pieces int
}

func (t *tailor) cloth(piece int) { get(fmt.Sprintf("%s/?piece=%d", t.store, piece)) }

func (t *tailor) cutCoat() {
	for p := 0; p < t.pieces; p++ {
		t.cloth(p)
	}
}

func (t *tailor) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	t.cutCoat()
	io.WriteString(w, "a coat")
}

func listen(h http.Handler) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	go http.Serve(l, h)
	return "http://" + l.Addr().String()
}

func store() {
	fmt.Println(listen(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(1500 * time.Microsecond)
		io.WriteString(w, "cloth")
	})))
	fmt.Scanln()
}

func order(shop string, coats int, wg *sync.WaitGroup) {
	defer wg.Done()
	for c := 0; c < coats; c++ {
		get(shop)
	}
}

func season(path string, t *tailor, coats int) {
	f, err := os.Create(path)
	must(err)
	shop := listen(t)
	must(trace.Start(f))
	var wg sync.WaitGroup
	for c := 0; c < 3; c++ {
		wg.Add(1)
		go order(shop, coats, &wg)
	}
	wg.Wait()
	trace.Stop()
	must(f.Close())
}

func main() {
	if len(os.Args) == 1 {
		store()
		return
	}
	runtime.GOMAXPROCS(4)
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 8
	cmd := exec.Command(os.Args[0])
	in, err := cmd.StdinPipe()
	must(err)
	out, err := cmd.StdoutPipe()
	must(err)
	must(cmd.Start())
	var url string
	fmt.Fscanln(out, &url)
	season(os.Args[1], &tailor{url, 8}, 7)
	season(os.Args[2], &tailor{url, 1}, 20)
	in.Close()
	cmd.Wait()
}
