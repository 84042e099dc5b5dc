package extkit

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"sync"

	"github.com/exec-ext/exec-ext/rpc"
)

// A proxy stands between the fake host and a good extension and breaks one thing.
type proxy struct {
	fault   fault
	state   faultState
	framing rpc.Framing
}

// A fault changes messages on their way. It gives the messages to pass on; none swallows them.
type fault struct {
	in   func(s *faultState, body []byte) [][]byte // from the host
	out  func(s *faultState, body []byte) [][]byte // from the extension
	exit func(code int) int                        // in the place of the exit code
}

// faultState is what a fault remembers. in and out run at the same time and share nothing of it but the lock.
type faultState struct {
	sync.Mutex
	last []byte
}

// faulty runs the proxy and gives the exit code.
func faulty(name string, command []string) int {
	f, ok := faults()[name]
	if !ok && name != noFault {
		return 2
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 2
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 2
	}
	if err := cmd.Start(); err != nil {
		return 2
	}
	p := &proxy{fault: f.fault}
	frames := rpc.NewFrameReader(os.Stdin, rpc.FramingAuto, 0)
	first, err := frames.Next() // tells the framing
	p.framing = frames.Framing()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.pump(rpc.NewFrameReader(stdout, p.framing, 0), nil, p.fault.out, os.Stdout)
	}()
	go func() {
		defer stdin.Close()
		if err == nil {
			p.pump(frames, first, p.fault.in, stdin)
		}
	}()
	<-ended
	_ = cmd.Wait()
	code := cmd.ProcessState.ExitCode()
	if p.fault.exit != nil {
		code = p.fault.exit(code)
	}
	return code
}

// pump passes messages on, changed. first is one that was read already.
func (p *proxy) pump(from *rpc.FrameReader, first []byte, change func(*faultState, []byte) [][]byte, to interface{ Write([]byte) (int, error) }) {
	for body := first; ; {
		if body == nil {
			var err error
			if body, err = from.Next(); err != nil {
				return
			}
		}
		list := [][]byte{body}
		if change != nil {
			p.state.Lock()
			list = change(&p.state, body)
			p.state.Unlock()
		}
		for _, b := range list {
			var frame bytes.Buffer
			if bytes.HasPrefix(b, []byte("raw:")) {
				frame.Write(b[4:])
			} else {
				_ = rpc.WriteFrame(&frame, p.framing, b)
			}
			if _, err := to.Write(frame.Bytes()); err != nil {
				return
			}
		}
		body = nil
	}
}

// parts are the members of an object, nil if it is none.
func parts(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(raw, &m)
	return m
}

// with changes one member, deep in an object, by its path; a nil value takes it out. Where the path leads nowhere the
// object stays as it is.
func with(raw json.RawMessage, value json.RawMessage, path ...string) json.RawMessage {
	m := parts(raw)
	if m == nil || m[path[0]] == nil && len(path) > 1 {
		return raw
	}
	switch {
	case len(path) > 1:
		m[path[0]] = with(m[path[0]], value, path[1:]...)
	case value == nil:
		delete(m, path[0])
	default:
		m[path[0]] = value
	}
	out, err := marshal(m)
	if err != nil {
		return raw
	}
	return out
}

// at is a member deep in an object, nil if there is none.
func at(raw json.RawMessage, path ...string) json.RawMessage {
	for _, step := range path {
		raw = parts(raw)[step]
	}
	return raw
}

// method is the method of a message, without quotes.
func method(body []byte) string {
	var m struct{ Method string }
	_ = json.Unmarshal(body, &m)
	return m.Method
}

// isRunResult says whether a message is the answer to exec/run.
func isRunResult(body []byte) bool { return at(body, "result", "runId") != nil }
