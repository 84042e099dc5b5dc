package worker

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/sandbox"
	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // as Main does
	os.Exit(m.Run())
}

// A host answers a script's calls in a test. The zero value knows no tool.
type host struct {
	tools map[string]func(args json.RawMessage) sandbox.Reply
	names []string
	start wire.StartHead
	hold  map[string]bool // tools that are never answered
}

// An ending is all that came out of one run.
type ending struct {
	done   bool
	value  string // JSON, "" for undefined
	failed wire.FailedHead
	logs   []string
	warns  []string
	calls  []sandbox.Call
	chars  int
}

func (e ending) log() string    { return strings.Join(e.logs, "\n") }
func (e ending) warned() string { return strings.Join(e.warns, "\n") }

// reply makes a host function that gives a fixed JSON value.
func reply(value string) func(json.RawMessage) sandbox.Reply {
	return func(json.RawMessage) sandbox.Reply { return sandbox.Reply{Value: json.RawMessage(value)} }
}

// echo gives the arguments back.
func echo(args json.RawMessage) sandbox.Reply { return sandbox.Reply{Value: args} }

func refuse(kind sandbox.CallErrorKind, message string) func(json.RawMessage) sandbox.Reply {
	return func(json.RawMessage) sandbox.Reply {
		return sandbox.Reply{Err: &sandbox.CallError{Kind: kind, Message: message}}
	}
}

// run runs one script in a worker of its own, both ends of the link in this process.
func (h host) run(t testing.TB, code string) ending {
	t.Helper()
	toWorker, fromParent := io.Pipe()
	toParent, fromWorker := io.Pipe()
	exit := make(chan int, 1)
	go func() {
		code := serve(toWorker, fromWorker, newEngine(), func() wire.ReadyHead { return wire.ReadyHead{} })
		fromWorker.Close()
		exit <- code
	}()
	out := h.talk(t, toParent, fromParent, code)
	toWorker.Close()
	if got := <-exit; got != 0 {
		t.Errorf("exit code %d, want 0", got)
	}
	return out
}

func (h host) startHead() wire.StartHead {
	s := h.start
	if s.Prefix == "" {
		s.Prefix = "mcp__"
	}
	if s.Namespace == "" {
		s.Namespace, s.Search = "$codemode", "search"
	}
	if s.LogChars == 0 {
		s.LogChars = 16_000
	}
	return s
}

// talk is the parent's side of one run.
func (h host) talk(t testing.TB, in io.Reader, out io.Writer, code string) ending {
	t.Helper()
	var end ending
	frames := make(chan wire.Frame, 1<<16) // a worker that has its outcome reads no more
	defer close(frames)
	go func() {
		for f := range frames {
			if wire.Write(out, f) != nil {
				return
			}
		}
	}()
	send := func(f wire.Frame) { frames <- f }
	for {
		f, err := wire.Read(in, 64<<20)
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		switch f.Kind {
		case wire.Ready:
			head, _ := json.Marshal(h.startHead())
			send(wire.Frame{Kind: wire.Start, Head: head, Body: []byte(code)})
		case wire.Log:
			end.logs = append(end.logs, string(f.Body))
		case wire.Warn:
			end.warns = append(end.warns, string(f.Body))
		case wire.Names:
			body, _ := json.Marshal(h.names)
			send(wire.Frame{Kind: wire.Names, Body: body})
		case wire.CallTo:
			var head wire.CallHead
			if err := json.Unmarshal(f.Head, &head); err != nil {
				t.Fatal(err)
			}
			end.calls = append(end.calls, sandbox.Call{Name: head.Name, Args: f.Body})
			if !h.hold[head.Name] {
				send(h.settle(f.ID, head.Name, f.Body))
			}
		case wire.Done:
			var head wire.DoneHead
			if err := json.Unmarshal(f.Head, &head); err != nil {
				t.Fatal(err)
			}
			end.done, end.value, end.chars = true, string(f.Body), head.LogChars
			return end
		case wire.Failed:
			if err := json.Unmarshal(f.Head, &end.failed); err != nil {
				t.Fatal(err)
			}
			return end
		}
	}
}

func (h host) settle(id uint32, name string, args []byte) wire.Frame {
	r := sandbox.Reply{Err: &sandbox.CallError{Kind: sandbox.CallUnknown, Message: "unknown tool " + name}}
	if f, ok := h.tools[name]; ok {
		r = f(args)
	}
	settle := wire.Frame{Kind: wire.Settle, ID: id, Body: r.Value}
	if r.Err != nil {
		settle.Head, _ = json.Marshal(wire.SettleHead{Kind: string(r.Err.Kind), Message: r.Err.Message})
	}
	return settle
}

// value runs a script that must succeed and returns its value as JSON.
func (h host) value(t testing.TB, code string) string {
	t.Helper()
	e := h.run(t, code)
	if !e.done {
		t.Fatalf("failed: %+v\nlogs: %s\nscript:\n%s", e.failed, e.log(), code)
	}
	return e.value
}
