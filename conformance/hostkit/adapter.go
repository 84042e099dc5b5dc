package hostkit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"sync"
	"time"
)

// An adapter is the host author's program: a process that takes orders and tells events.
type adapter struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	events *box[event]
	stderr tail
	exited chan struct{} // closed when the process is gone
	err    error         // how it ended; valid after exited
}

// An event is one line of an adapter.
type event struct {
	Name string // the member "event"
	Run  string
	raw  json.RawMessage
}

// tailBytes is how much of an adapter's stderr is kept.
const tailBytes = 8 << 10

// launch starts an adapter. log sees every line, both ways; fault what is no event.
func launch(command []string, log func(dir string, line []byte), fault func(string)) (*adapter, error) {
	a := &adapter{cmd: exec.Command(command[0], command[1:]...), events: newBox[event](), exited: make(chan struct{})}
	a.cmd.Stderr = &a.stderr
	a.cmd.WaitDelay = time.Second // a fake extension may hold stderr open
	stdin, err := a.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	stdout, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	a.stdin = &loggedWriter{stdin, log}
	go func() {
		a.read(stdout, log, fault)
		a.err = a.cmd.Wait()
		close(a.exited)
	}()
	return a, nil
}

// read takes events until stdout ends.
func (a *adapter) read(stdout io.Reader, log func(string, []byte), fault func(string)) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			log("event", line)
			a.take(line, fault)
		}
		if err != nil {
			a.events.close(errors.New("the adapter has ended its stdout"))
			return
		}
	}
}

func (a *adapter) take(line []byte, fault func(string)) {
	var e struct{ Event, Run string }
	if err := json.Unmarshal(line, &e); err != nil || e.Event == "" {
		fault("the adapter wrote what is no event: " + clip(line))
		return
	}
	a.events.put(event{Name: e.Event, Run: e.Run, raw: withoutNulls(line)})
}

// withoutNulls leaves out the members that are null, which stand for absent ones.
func withoutNulls(line []byte) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(line, &all) != nil {
		return line
	}
	maps.DeleteFunc(all, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	out, err := json.Marshal(all)
	if err != nil {
		return line
	}
	return out
}

// order sends one line.
func (a *adapter) order(raw json.RawMessage) error {
	_, err := a.stdin.Write(append([]byte(oneLine(raw)), '\n'))
	return err
}

// leave closes stdin and says how the adapter ended.
func (a *adapter) leave(within time.Duration) error {
	a.stdin.Close()
	select {
	case <-a.exited:
		return a.err
	case <-time.After(within):
		return errors.New("it does not end with its stdin")
	}
}

// kill ends the process. What it has started ends with the kit's socket.
func (a *adapter) kill() {
	_ = a.cmd.Process.Kill()
	<-a.exited
}

type loggedWriter struct {
	io.WriteCloser
	log func(dir string, line []byte)
}

func (w *loggedWriter) Write(b []byte) (int, error) {
	w.log("order", b)
	return w.WriteCloser.Write(b)
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte // guarded by mu
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - tailBytes; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
