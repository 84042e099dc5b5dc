package hostkit

import (
	"bufio"
	"encoding/json"
	"errors"
	"maps"
	"time"

	"github.com/exec-ext/exec-ext/conformance/child"
	"github.com/exec-ext/exec-ext/conformance/report"
)

// An adapter is the host author's program: a process that takes orders and tells events.
type adapter struct {
	process *child.Process
	stderr  child.Tail
	log     func(dir string, line []byte) // sees every line, both ways
	fault   func(string)                  // gets what is no event
	events  *box[event]
	heard   chan struct{} // closed when all its events are here
}

// An event is one line of an adapter.
type event struct {
	Name string // the member "event"
	Run  string
	raw  json.RawMessage
}

// launch starts an adapter.
func launch(command []string, log func(dir string, line []byte), fault func(string)) (*adapter, error) {
	a := &adapter{log: log, fault: fault, events: newBox[event](), heard: make(chan struct{})}
	var err error
	if a.process, err = child.Start(command, &a.stderr); err != nil {
		return nil, err
	}
	go a.read()
	return a, nil
}

// read takes events until stdout ends.
func (a *adapter) read() {
	defer close(a.heard)
	lines := bufio.NewReader(a.process.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			a.log("event", line)
			a.take(line)
		}
		if err != nil {
			a.events.close(errors.New("the adapter has ended its stdout"))
			return
		}
	}
}

func (a *adapter) take(line []byte) {
	var e struct{ Event, Run string }
	if err := json.Unmarshal(line, &e); err != nil || e.Event == "" {
		a.fault("the adapter wrote what is no event: " + report.Clip(line))
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
	line := append([]byte(oneLine(raw)), '\n')
	a.log("order", line)
	_, err := a.process.Stdin.Write(line)
	return err
}

// kill ends the process and what it has started. Nothing more is heard then.
func (a *adapter) kill() {
	a.process.Kill()
	<-a.heard
}

// leave closes stdin and says how the adapter ended, nil if with exit code 0. All its events are here then.
func (a *adapter) leave(within time.Duration) error {
	a.process.Stdin.Close()
	late := time.After(within)
	for _, end := range []<-chan struct{}{a.process.Exited, a.heard} {
		select {
		case <-end:
		case <-late:
			return errors.New("it does not end with its stdin")
		}
	}
	if a.process.Code() != 0 {
		return errors.New(a.process.End())
	}
	return nil
}
