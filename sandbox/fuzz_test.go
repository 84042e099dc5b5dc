package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/exec-ext/exec-ext/sandbox"
	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// A strictHost holds what the parent passes on against what it promises.
type strictHost struct{ t *testing.T }

func (h strictHost) Begin(c sandbox.Call) func(context.Context) sandbox.Reply {
	if !utf8.ValidString(c.Name) || !json.Valid(c.Args) || !bytes.HasPrefix(bytes.TrimLeft(c.Args, " \t\r\n"), []byte("{")) {
		h.t.Errorf("call %q(%q)", c.Name, c.Args)
	}
	return func(context.Context) sandbox.Reply { return sandbox.Reply{Value: c.Args} }
}

func (h strictHost) Names() []string { return []string{"mcp__a__b"} }

func frames(t interface{ Fatal(...any) }, list ...wire.Frame) []byte {
	var b bytes.Buffer
	for _, f := range list {
		if err := wire.Write(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// framed makes well-framed frames of fuzzed bytes: kind and id, head and body, each ended by a zero byte.
func framed(t *testing.T, in []byte) []byte {
	var list []wire.Frame
	parts := bytes.Split(in, []byte{0})
	for ; len(parts) >= 3; parts = parts[3:] {
		if k := parts[0]; len(k) >= 2 {
			list = append(list, wire.Frame{Kind: wire.Kind(k[0]), ID: uint32(k[1]), Head: parts[1], Body: parts[2]})
		}
	}
	return frames(t, list...)
}

// FuzzHostileWorker has a worker send anything, as raw bytes or well framed. Whatever it is, the run ends soon, with
// one outcome that keeps every promise.
func FuzzHostileWorker(f *testing.F) {
	call := wire.Frame{Kind: wire.CallTo, ID: 1, Head: []byte(`{"name":"mcp__a__b"}`), Body: []byte(`{"a":[1]}`)}
	done := wire.Frame{Kind: wire.Done, Head: []byte(`{"logChars":3}`), Body: []byte(`{"v":"\ud800"}`)}
	f.Add([]byte{}, false)
	f.Add(frames(f, done), false)
	f.Add(append(frames(f, call), 'd', 0xff, 0xff, 0xff, 0xff, 0xff), false)
	f.Add([]byte("c1\x00{\"name\":\"mcp__a__b\"}\x00{\"a\":1}\x00d1\x00{}\x00[1]\x00"), true)
	f.Add([]byte("l1\x00{\"chars\":9}\x00abc\xff\x00w1\x00\x00warned\x00n1\x00\x00\x00f1\x00{\"kind\":\"script_error\",\"callKind\":\"denied\",\"message\":\"m\",\"line\":-1}\x00\x00"), true)
	f.Add([]byte("c1\x00{\"name\":\"x\"}\x00{}\x00c1\x00{\"name\":\"x\"}\x00{}\x00"), true)
	f.Add([]byte("d1\x00{\"logChars\":99999999}\x00{\"v\":\"\\ud800\"}\x00a1\x00{}\x001\x00"), true)
	r := sandbox.NewRunner(sandbox.Options{Command: command("fake"), Spare: 1})
	f.Cleanup(r.Close)
	f.Fuzz(func(t *testing.T, sent []byte, wellFramed bool) {
		l := limits()
		l.LogChars = 100
		if wellFramed {
			sent = framed(t, sent)
		}
		began := time.Now()
		out := r.Run(t.Context(), sandbox.Job{Code: "raw " + string(sent), Limits: l}, strictHost{t})
		if d := time.Since(began); d > 15*time.Second {
			t.Errorf("ended after %v", d)
		}
		checkOutcome(t, out, l)
	})
}

// checkOutcome holds any outcome against what its type promises.
func checkOutcome(t *testing.T, out sandbox.Outcome, l sandbox.Limits) {
	t.Helper()
	if out.Value != nil && (out.Failure != nil || !json.Valid(out.Value)) {
		t.Errorf("value %q, failure %+v", out.Value, out.Failure)
	}
	if f := out.Failure; f != nil && (f.Kind == "" || f.Line < 0 || f.Column < 0 || !utf8.ValidString(f.Message)) {
		t.Errorf("failure %+v", *f)
	}
	kept := 0
	for _, c := range out.Logs.Text {
		kept++
		if c > 0xffff {
			kept++
		}
	}
	if kept > l.LogChars || out.Logs.Chars < kept || out.Logs.Truncated != (out.Logs.Chars > kept) || !utf8.ValidString(out.Logs.Text) {
		t.Errorf("logs %+v", out.Logs)
	}
	for _, w := range out.Warnings {
		if !utf8.ValidString(w) {
			t.Errorf("warning %q", w)
		}
	}
	if out.Stats.Wall <= 0 || out.Stats.Active < 0 || out.Stats.Active > out.Stats.Wall+time.Millisecond {
		t.Errorf("stats %+v", out.Stats)
	}
}
