// boxoffice TRACE: writes the trace that tests/unit/test_causes.c reads: a transaction stays open while a bank is asked, and there are three
// connections for twelve goroutines, given out by database/sql in no order. Go 1.25.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"time"
)

var addr string

type dr struct{}
type cn struct{ l *line }
type tx struct{ l *line }

func (dr) Open(string) (driver.Conn, error)       { return &cn{dial()}, nil }
func (c *cn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("no") }
func (c *cn) Close() error                        { return c.l.c.Close() }
func (c *cn) Begin() (driver.Tx, error)           { return tx{c.l}, nil }
func (t tx) Commit() error                        { t.l.ask("300us"); return nil }
func (t tx) Rollback() error                      { return nil }
func (c *cn) ExecContext(_ context.Context, q string, _ []driver.NamedValue) (driver.Result, error) {
	c.l.ask(q)
	return driver.RowsAffected(1), nil
}

func main() {
	if os.Getenv("AS_BACKEND") != "" {
		answer()
	}
	runtime.GOMAXPROCS(8)
	stop := backend()
	sql.Register("box", dr{})
	db, _ := sql.Open("box", "")
	db.SetMaxOpenConns(3)
	db.SetMaxIdleConns(3)
	traced(func() {
		var w sync.WaitGroup
		for i := 0; i < 12; i++ {
			w.Add(1)
			go func() {
				defer w.Done()
				bank := dial()
				for k := 0; k < 4; k++ {
					sell(db, bank)
				}
			}()
		}
		w.Wait()
	})
	stop()
}

func sell(db *sql.DB, bank *line) {
	t, err := db.Begin()
	if err != nil {
		log.Fatal(err)
	}
	t.Exec("800us")
	charge(bank)
	t.Exec("800us")
	t.Commit()
}

func charge(bank *line) { bank.ask("15ms") }

type line struct {
	c  net.Conn
	in *bufio.Reader
}

func dial() *line {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		log.Fatal(err)
	}
	return &line{c, bufio.NewReader(c)}
}

func (l *line) ask(what string) {
	fmt.Fprintln(l.c, what)
	if _, err := l.in.ReadString('\n'); err != nil {
		log.Fatal(err)
	}
}

// answer: another process, which takes as long as it is told.
func answer() {
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	fmt.Println(l.Addr())
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				for in := bufio.NewScanner(c); in.Scan(); fmt.Fprintln(c, "ok") {
					d, _ := time.ParseDuration(in.Text())
					time.Sleep(d)
				}
			}()
		}
	}()
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func backend() func() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "AS_BACKEND=1")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	a, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	addr = strings.TrimSpace(a)
	return func() { in.Close(); cmd.Wait() }
}

func traced(work func()) {
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		log.Fatal(err)
	}
	work()
	trace.Stop()
	f.Close()
}
