package hostkit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
)

// A control is what the kit tells a fake extension, one JSON line each.
type control struct {
	Write []byte `json:"write,omitempty"` // goes to stdout, Times times
	Times int    `json:"times,omitempty"`
	Exit  *int   `json:"exit,omitempty"`
}

// A sign is what a fake extension tells the kit, one JSON line each. The first one has its process id.
type sign struct {
	PID  int    `json:"pid,omitempty"`
	Read []byte `json:"read,omitempty"` // came on stdin
	EOF  bool   `json:"eof,omitempty"`  // stdin has ended
}

// Fake is the process that a host under test spawns as its extension: it passes bytes between its stdio and the kit,
// which listens on the socket, and does nothing by itself. It returns the exit code that the kit wants, 1 if the kit
// is gone.
func Fake(socket string, in io.Reader, out io.Writer) int {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake extension:", err)
		return 1
	}
	defer conn.Close()
	signs := &signWriter{e: json.NewEncoder(conn)}
	signs.send(sign{PID: os.Getpid()})
	go func() {
		b := make([]byte, 64<<10)
		for {
			n, err := in.Read(b)
			if n > 0 {
				signs.send(sign{Read: b[:n]})
			}
			if err != nil {
				signs.send(sign{EOF: true})
				return
			}
		}
	}()
	orders := json.NewDecoder(bufio.NewReaderSize(conn, 64<<10))
	for {
		var c control
		if orders.Decode(&c) != nil {
			return 1
		}
		if c.Exit != nil {
			return *c.Exit
		}
		for range max(1, c.Times) {
			if _, err := out.Write(c.Write); err != nil {
				break // the host reads no more; the kit sees the end of stdin
			}
		}
	}
}

type signWriter struct {
	mu sync.Mutex
	e  *json.Encoder // guarded by mu
}

func (w *signWriter) send(s sign) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.e.Encode(s) // a kit that is gone ends the process by the other direction
}
