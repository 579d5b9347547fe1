// scrolls TRACE [opens]: writes the traces that tests/unit/test_causes.c reads, scrolls.trace and, with "opens", scrollkeys.trace: a statement is
// prepared for each query; or a connection, on which one has to log in, is opened for each, since none is kept. Built with -trimpath.
package main

import (
	"bufio"
	"database/sql"
	"database/sql/driver"
	"io"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type reader struct{ addr string }
type desk struct {
	c net.Conn
	r *bufio.Reader
}
type wish struct{ d *desk }
type nothing struct{}

func (d *desk) ask(what string) {
	d.c.Write([]byte(what + "\n"))
	d.r.ReadString('\n')
}
func (r reader) Open(string) (driver.Conn, error) {
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		return nil, err
	}
	d := &desk{c, bufio.NewReader(c)}
	d.ask("who")
	d.ask("key")
	return d, nil
}
func (d *desk) Prepare(string) (driver.Stmt, error)        { d.ask("prepare"); return wish{d}, nil }
func (d *desk) Close() error                               { return d.c.Close() }
func (d *desk) Begin() (driver.Tx, error)                  { return nil, io.EOF }
func (w wish) Close() error                                { w.d.ask("close"); return nil }
func (w wish) NumInput() int                               { return 0 }
func (w wish) Exec([]driver.Value) (driver.Result, error)  { return nil, io.EOF }
func (w wish) Query(v []driver.Value) (driver.Rows, error) { w.d.ask("query"); return nothing{}, nil }
func (nothing) Columns() []string                          { return []string{"text"} }
func (nothing) Close() error                               { return nil }
func (nothing) Next([]driver.Value) error                  { return io.EOF }

// serve answers in another process.
func serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			r := bufio.NewReader(c)
			for {
				if _, err := r.ReadString('\n'); err != nil {
					return
				}
				time.Sleep(500 * time.Microsecond)
				c.Write([]byte("so\n"))
			}
		}()
	}
}

func readScroll(db *sql.DB) {
	rows, err := db.Query("scroll")
	if err != nil {
		panic(err)
	}
	rows.Close()
}

func main() {
	if len(os.Args) == 1 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(l.Addr().String() + "\n")
		go serve(l)
		io.Copy(io.Discard, os.Stdin)
		return
	}
	addr, stop := other()
	defer stop()
	runtime.GOMAXPROCS(4)
	sql.Register("scrolls", reader{addr})
	db, _ := sql.Open("scrolls", "")
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	if len(os.Args) > 2 {
		db.SetMaxIdleConns(-1)
	}
	traced(os.Args[1], func() {
		var wg sync.WaitGroup
		for g := 0; g < 3; g++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; i < 12; i++ {
					readScroll(db)
				}
			}()
		}
		wg.Wait()
	})
	db.Close()
}

// other starts this program once more, as the server.
func other() (addr string, stop func()) {
	in, to, err := os.Pipe()
	from, out, err2 := os.Pipe()
	if err != nil || err2 != nil {
		panic("no pipe")
	}
	p, err := os.StartProcess(os.Args[0], os.Args[:1], &os.ProcAttr{Files: []*os.File{in, out, os.Stderr}})
	if err != nil {
		panic(err)
	}
	line, _ := bufio.NewReader(from).ReadString('\n')
	return line[:len(line)-1], func() { to.Close(); p.Wait() }
}

func traced(path string, work func()) {
	f, err := os.Create(path)
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
