// openbook TRACE (HASTE=1: without pauses between, hastybook.trace): writes the trace that tests/unit/test_causes.c reads: pages are asked for and their bodies left open, so each has a
// connection of its own, with two goroutines that stay. Built with -trimpath.
package main

import (
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

var page = make([]byte, 20000)

func readPage(client *http.Client, url string) {
	answer, err := client.Get(url)
	if err != nil {
		panic(err)
	}
	if answer.StatusCode != http.StatusOK {
		panic(answer.Status)
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	if len(os.Args) < 3 { // the other side is a process of its own
		self, err := os.StartProcess(os.Args[0], append(os.Args, listener.Addr().String()), &os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}})
		if err != nil {
			panic(err)
		}
		defer self.Wait()
		defer self.Kill()
		http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/end" {
				self.Wait()
				os.Exit(0)
			}
			w.Write(page)
		}))
		return
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	client := &http.Client{}
	for i := 0; i < 60; i++ {
		readPage(client, "http://"+os.Args[2]+"/page")
		if os.Getenv("HASTE") == "" {
			time.Sleep(2 * time.Millisecond)
		}
	}
	trace.Stop()
	f.Close()
	go client.Get("http://" + os.Args[2] + "/end")
	time.Sleep(50 * time.Millisecond)
}
