package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/rpc"
)

// TestMain lets the test program be a small extension that a trace is played against.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "extension" {
		serve(os.Args[2], os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// serve answers "echo" with its params, and "ask" after two requests of its own, whose answers it gives; odd changes
// what it does.
func serve(odd string, in io.Reader, out io.Writer) {
	frames := rpc.NewFrameReader(in, rpc.FramingNDJSON, 0)
	send := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	asked, answers := "", ""
	for {
		body, err := frames.Next()
		if err != nil {
			return
		}
		var m struct {
			ID, Params, Result json.RawMessage
			Method             string
		}
		if json.Unmarshal(body, &m) != nil {
			continue
		}
		switch {
		case m.Method == "echo" && odd == "other":
			send(`{"jsonrpc":"2.0","id":%s,"result":{"other":true,"ms":7}}`, m.ID)
		case m.Method == "echo":
			send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, m.Params)
		case m.Method == "ask":
			asked = string(m.ID)
			first, second := 71, 72 // the ids need not be those recorded
			if odd == "swapped" {
				send(`{"jsonrpc":"2.0","id":%d,"method":"host/callTool","params":{"n":2}}`, second)
			}
			send(`{"jsonrpc":"2.0","id":%d,"method":"host/callTool","params":{"n":1,"timeLeftMs":5}}`, first)
			if odd != "swapped" {
				send(`{"jsonrpc":"2.0","id":%d,"method":"host/callTool","params":{"n":2}}`, second)
			}
		case m.Method == "" && len(m.ID) > 0:
			answers += string(m.ID) + "=" + string(m.Result) + " "
			if strings.Contains(answers, "71=10") && strings.Contains(answers, "72=20") {
				send(`{"jsonrpc":"2.0","method":"exec/progress","params":{}}`)
				send(`{"jsonrpc":"2.0","id":%s,"result":"got both"}`, asked)
			}
			if odd == "more" {
				send(`{"jsonrpc":"2.0","id":99,"method":"host/pool","params":{}}`)
				odd = ""
			}
		}
	}
}

const recorded = `{"trace":1,"version":"1","time":"2026-01-01T00:00:00Z","redacted":false}
{"dir":"in","message":{"jsonrpc":"2.0","id":9,"method":"gone"},"ms":1}
{"trace":1,"version":"1","time":"2026-01-01T00:00:00Z","redacted":false}
{"dir":"in","message":{"jsonrpc":"2.0","id":"a","method":"echo","params":{"x":1,"ms":3}},"ms":1}
{"dir":"out","message":{"jsonrpc":"2.0","id":"a","result":{"x":1,"ms":4}},"ms":1}
{"dir":"in","text":"no json","ms":2}
{"dir":"in","message":{"jsonrpc":"2.0","id":5,"method":"ask"},"ms":2}
{"dir":"out","message":{"jsonrpc":"2.0","id":1,"method":"host/callTool","params":{"n":1,"timeLeftMs":9}},"ms":2}
{"dir":"out","message":{"jsonrpc":"2.0","method":"exec/progress","params":{"seq":1}},"ms":2}
{"dir":"in","message":{"jsonrpc":"2.0","id":1,"result":10},"ms":2}
{"dir":"out","message":{"jsonrpc":"2.0","id":2,"method":"host/callTool","params":{"n":2}},"ms":2}
{"dir":"in","message":{"jsonrpc":"2.0","id":2,"result":20},"ms":2}
{"dir":"out","message":{"jsonrpc":"2.0","id":5,"result":"got both"},"ms":2}
`

func replay(t *testing.T, text, odd string) (string, int, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.ndjson")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Replay(t.Context(), path, []string{me, "extension", odd}, t.Output())
}

func TestReplay_TheSameBuildShowsNoDifference(t *testing.T) {
	for _, odd := range []string{"", "swapped"} {
		if first, n, err := replay(t, recorded, odd); first != "" || n != 4 || err != nil {
			t.Errorf("%s: %q, %d messages, %v", odd, first, n, err)
		}
	}
}

func TestReplay_TheFirstDifferenceIsShown(t *testing.T) {
	for odd, want := range map[string]string{
		"other": `line 5: answer to id "a": $.other: not recorded, now true`,
		"more":  "after the last line: not recorded, now",
	} {
		if first, _, err := replay(t, recorded, odd); !strings.HasPrefix(first, want) || err != nil {
			t.Errorf("%s: %q, %v", odd, first, err)
		}
	}
	changed := strings.Replace(recorded, `"params":{"n":2}`, `"params":{"n":3}`, 1)
	want := "line 11: request host/callTool: $.n: recorded 3, now 2"
	if first, _, err := replay(t, changed, ""); first != want || err != nil {
		t.Errorf("%q, %v", first, err)
	}
}

func TestReplay_ATraceThatCannotBePlayedIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "soup\n", recorded[:73] + "\n",
		strings.ReplaceAll(recorded, `"redacted":false`, `"redacted":true`),
		recorded + `{"ms":3,"lost":2}` + "\n",
	} {
		if _, _, err := replay(t, text, ""); !errors.Is(err, ErrTrace) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	path := filepath.Join(t.TempDir(), "trace.ndjson")
	if err := os.WriteFile(path, []byte(recorded), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Replay(t.Context(), path, []string{filepath.Join(t.TempDir(), "nothing")}, t.Output()); !errors.Is(err, ErrNoStart) {
		t.Errorf("no command: %v", err)
	}
}

func TestRecorder_EveryMessageIsALineOfAPrivateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.ndjson")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, "1", false)
	if err != nil {
		t.Fatal(err)
	}
	frame := []byte(`{"b":1.0,"a":"<x>"}`)
	r.Trace("in", frame)
	copy(frame, `{"z"`) // the caller's bytes are its own
	r.Trace("out", []byte("no json\xff"))
	r.Close()
	r.Trace("out", frame) // too late
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], `"message":{"b":1.0,"a":"<x>"}`) || !strings.Contains(lines[2], `"text":"no json`) {
		t.Errorf("%q", lines)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestRecorder_WhatWasLostIsCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.ndjson")
	r, err := Open(path, "1", true)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	r.lost = 7
	r.mu.Unlock()
	r.Trace("in", []byte("{}"))
	r.Close()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `"lost":7`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestRedact_ContentsBecomeLengths(t *testing.T) {
	for in, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"r-1","method":"exec/run","params":{"sessionId":"s","runId":"r","input":{"code":"return 'secret'"}}}`: `{"jsonrpc":"2.0","id":"r-1","method":"exec/run","params":{"sessionId":"s","runId":"r","input":"<26 bytes>"}}`,
		`{"id":1,"params":{"name":"mcp__a__b","arguments":{"secret":5},"timeLeftMs":3,"grant":"secret"}}`:                            `{"id":1,"params":{"name":"mcp__a__b","arguments":"<12 bytes>","timeLeftMs":3,"grant":"<6 characters>"}}`,
		`{"id":1,"result":{"outcome":"result","result":{"content":[{"type":"text","text":"secret"}]}}}`:                              `{"id":1,"result":{"outcome":"result","result":"<45 bytes>"}}`,
		`{"id":1,"result":{"tools":[{"name":"x","description":"sécret","inputSchema":{}}],"deny":["mcp__x"]}}`:                       `{"id":1,"result":{"tools":[{"name":"x","description":"<6 characters>","inputSchema":"<2 bytes>"}],"deny":["mcp__x"]}}`,
		`{"id":1,"params":{"history":["secret"]}}`:                                                                                   `{"id":1,"params":{"history":["<6 characters>"]}}`,
		`{"id":1,"error":{"code":-32603,"message":"secret","data":{"kind":"internal","retryable":false}}}`:                           `{"id":1,"error":{"code":-32603,"message":"<6 characters>","data":{"kind":"internal","retryable":false}}}`,
		`["secret",{"x":"secret"},"` + "\\ud800" + `"]`:                                                                              `["<6 characters>",{"x":"<6 characters>"},"<1 characters>"]`,
	} {
		if got := string(redact([]byte(in))); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}
