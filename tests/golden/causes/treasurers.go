// treasurers TRACE: writes the trace that tests/unit/test_causes.c reads: database/sql keeps one idle connection for eight that ask, and each new one
// begins with a login. Go 1.23.
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
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type till struct{ addr string }
type drawer struct {
	conn net.Conn
	in   *bufio.Reader
}
type coins struct{}

func (t till) Open(string) (driver.Conn, error) {
	conn, err := net.Dial("tcp", t.addr)
	if err != nil {
		return nil, err
	}
	d := &drawer{conn, bufio.NewReader(conn)}
	return d, d.ask("login")
}
func (d *drawer) ask(what string) error {
	fmt.Fprintln(d.conn, what)
	_, err := d.in.ReadString('\n')
	return err
}
func (d *drawer) Prepare(string) (driver.Stmt, error) { return nil, errors.New("no") }
func (d *drawer) Begin() (driver.Tx, error)           { return nil, errors.New("no") }
func (d *drawer) Close() error                        { return d.conn.Close() }
func (d *drawer) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Rows, error) {
	return coins{}, d.ask(q)
}
func (coins) Columns() []string         { return []string{"coins"} }
func (coins) Close() error              { return nil }
func (coins) Next([]driver.Value) error { return io.EOF }

func main() {
	if len(os.Args) == 1 {
		other()
	}
	runtime.GOMAXPROCS(8)
	cmd := exec.Command(os.Args[0])
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	sql.Register("till", till{addr[:len(addr)-1]})
	db, _ := sql.Open("till", "")
	db.SetMaxIdleConns(1)
	traced(func() {
		sideBySide(8, func(int) {
			for k := 0; k < 12; k++ {
				count(db)
				compute(1500 * time.Microsecond)
			}
		})
	})
	in.Close()
	cmd.Wait()
}

func count(db *sql.DB) {
	rows, err := db.Query("count")
	if err != nil {
		log.Fatal(err)
	}
	rows.Close()
}

// other is another process, which answers each line after 1.5 ms.
func other() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				lines := bufio.NewScanner(conn)
				for lines.Scan() {
					time.Sleep(1500 * time.Microsecond)
					fmt.Fprintln(conn, lines.Text())
				}
			}()
		}
	}()
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func sideBySide(n int, f func(i int)) {
	var w sync.WaitGroup
	for i := 0; i < n; i++ {
		w.Add(1)
		go func(i int) { defer w.Done(); f(i) }(i)
	}
	w.Wait()
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

// compute keeps the P busy for d.
func compute(d time.Duration) {
	for end, left := time.Now().Add(d), d; left > 0; left = time.Until(end) {
		ts := syscall.NsecToTimespec(int64(left))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}
