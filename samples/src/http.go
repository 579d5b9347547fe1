// http: a small web shop in one process. Its server keeps a price list behind a lock and answers JSON; a few
// customers ask for it over loopback, think, and ask again. One handler in twenty is slow on purpose.
package main

import (
	"encoding/json"
	"flag"
	"net"
	"net/http"
	"os"
	"runtime/trace"
	"strconv"
	"sync"
	"time"
)

type shop struct {
	mu     sync.RWMutex
	prices map[string]int
	served int
}

func (s *shop) list(w http.ResponseWriter, r *http.Request) {
	s.mu.RLock()
	out, err := json.Marshal(s.prices)
	s.mu.RUnlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(out)
}

func (s *shop) buy(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("item")
	s.mu.Lock()
	s.served++
	slow := s.served%20 == 0
	s.prices[name]++
	if slow {
		time.Sleep(2 * time.Millisecond) // with the lock held: everybody waits
	}
	s.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

func customer(base string, id, rounds int, think time.Duration, wg *sync.WaitGroup) {
	defer wg.Done()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for i := 0; i < rounds; i++ {
		url := base + "/list"
		if i%2 == 1 {
			url = base + "/buy?item=thing" + strconv.Itoa((id+i)%9)
		}
		resp, err := client.Get(url)
		if err != nil {
			panic(err)
		}
		var got map[string]int
		json.NewDecoder(resp.Body).Decode(&got)
		resp.Body.Close()
		time.Sleep(think * time.Duration(id+1))
	}
}

func main() {
	out := flag.String("o", "http.trace", "the trace's file")
	customers := flag.Int("customers", 5, "customers at once")
	rounds := flag.Int("rounds", 12, "requests of each")
	think := flag.Duration("think", 50*time.Microsecond, "time a customer thinks between two requests")
	flag.Parse()

	f, err := os.Create(*out)
	if err != nil {
		panic(err)
	}
	s := &shop{prices: map[string]int{"tea": 3, "bread": 4, "lamp": 25}}
	mux := http.NewServeMux()
	mux.HandleFunc("/list", s.list)
	mux.HandleFunc("/buy", s.buy)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	srv := &http.Server{Handler: mux}
	go srv.Serve(ln)
	var wg sync.WaitGroup
	for i := 0; i < *customers; i++ {
		wg.Add(1)
		go customer("http://"+ln.Addr().String(), i, *rounds, *think, &wg)
	}
	wg.Wait()
	srv.Close()
	trace.Stop()
	f.Close()
}
