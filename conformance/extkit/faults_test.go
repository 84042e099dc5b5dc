package extkit

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/suite"
)

// A broken extension has one fault. The check meant for it must fail, and say why; the spared one must pass.
type broken struct {
	fault
	meant  string
	says   string
	spared string // "" where nothing can pass
	short  bool   // the check waits for what never comes
}

// on applies a change to the extension's messages that it is for.
func on(applies func([]byte) bool, change func(*faultState, []byte) [][]byte) fault {
	return fault{out: func(s *faultState, body []byte) [][]byte {
		if applies(body) {
			return change(s, body)
		}
		return [][]byte{body}
	}}
}

// set changes one member of the messages that it is for.
func set(applies func([]byte) bool, value string, path ...string) fault {
	return on(applies, func(_ *faultState, body []byte) [][]byte {
		var raw json.RawMessage
		if value != "" {
			raw = json.RawMessage(value)
		}
		return [][]byte{with(body, raw, path...)}
	})
}

func is(name string) func([]byte) bool {
	return func(body []byte) bool { return method(body) == name }
}

func has(path ...string) func([]byte) bool {
	return func(body []byte) bool { return at(body, path...) != nil }
}

// fromHost changes what the host sends.
func fromHost(applies func([]byte) bool, change func(body []byte) [][]byte) fault {
	return fault{in: func(_ *faultState, body []byte) [][]byte {
		if applies(body) {
			return change(body)
		}
		return [][]byte{body}
	}}
}

func swallow([]byte) [][]byte { return nil }

const (
	ping    = "ext.lifecycle.ping"
	noFault = "none"
)

func faults() map[string]broken {
	all := map[string]broken{}
	for _, part := range []map[string]broken{wireFaults(), callFaults(), runFaults(), planFaults(), endFaults()} {
		for name, b := range part {
			all[name] = b
		}
	}
	return all
}

// wireFaults are about messages as such.
func wireFaults() map[string]broken {
	return map[string]broken{
		"answers twice": {fault: on(func(b []byte) bool { return at(b, "result") != nil && at(b, "result", "serverInfo") == nil },
			func(_ *faultState, b []byte) [][]byte { return [][]byte{b, b} }), meant: ping, says: "twice"},
		"respells ids": {fault: on(has("id"), func(_ *faultState, b []byte) [][]byte {
			var n float64
			if json.Unmarshal(at(b, "id"), &n) != nil {
				return [][]byte{b}
			}
			id, _ := json.Marshal(n)
			return [][]byte{with(b, id, "id")}
		}), meant: "ext.envelope.id-echo-fraction", says: "nothing came in time", spared: ping, short: true},
		"wrong error code": {fault: on(has("error"), func(_ *faultState, b []byte) [][]byte {
			return [][]byte{bytes.Replace(b, []byte("-32601"), []byte("-32600"), 1)}
		}), meant: "ext.envelope.method-unknown", says: "-32601", spared: "ext.envelope.batch", short: true},
		"errors without data": {fault: set(has("error"), "", "error", "data"), meant: "ext.envelope.method-unknown", says: "data", spared: ping, short: true},
		"dies on malformed JSON": {fault: fault{in: func(_ *faultState, b []byte) [][]byte {
			if !json.Valid(b) {
				os.Exit(1)
			}
			return [][]byte{b}
		}}, meant: "ext.envelope.not-json", says: "has ended", spared: ping},
		"is silent on batches": {fault: fromHost(func(b []byte) bool { return b[0] == '[' }, swallow),
			meant: "ext.envelope.batch", says: "nothing came in time", spared: "ext.envelope.not-json", short: true},
		"talks on stdout": {fault: on(has("result"), func(_ *faultState, b []byte) [][]byte {
			return [][]byte{[]byte("raw:ready to serve\n"), b}
		}), meant: ping, says: "no JSON"},
		"asks what the protocol has not": {fault: on(has("result"), func(_ *faultState, b []byte) [][]byte {
			return [][]byte{b, []byte(`{"jsonrpc":"2.0","id":"x","method":"host/secrets","params":{}}`)}
		}), meant: ping, says: "host/secrets"},
		"no version": {fault: set(has("result"), "", "jsonrpc"), meant: ping, says: "jsonrpc"},
	}
}

// callFaults are about nested calls.
func callFaults() map[string]broken {
	call := is("host/callTool")
	return map[string]broken{
		"sorts keys": {fault: on(call, func(_ *faultState, b []byte) [][]byte {
			var args map[string]any
			_ = json.Unmarshal(at(b, "params", "arguments"), &args)
			sorted, _ := json.Marshal(args)
			return [][]byte{with(b, sorted, "params", "arguments")}
		}), meant: "ext.script.arguments-untouched", says: "zeta", spared: "ext.script.arguments-none"},
		"counts from zero":     {fault: set(call, "0", "params", "index"), meant: "ext.session.nested-call", says: "index", spared: ping, short: true},
		"one id for all calls": {fault: set(call, `"call"`, "params", "callId"), meant: "ext.script.two-calls", says: "callId", spared: "ext.script.arguments-untouched"},
		"forgets the grant":    {fault: set(call, "", "params", "grant"), meant: "ext.permission.separate-each-call", says: "grant", spared: "ext.script.two-calls"},
		"reuses a grant": {fault: on(has("params", "grant"), func(s *faultState, b []byte) [][]byte {
			if s.last == nil {
				s.last = at(b, "params", "grant")
			}
			return [][]byte{with(b, s.last, "params", "grant")}
		}), meant: "ext.permission.separate-each-call", says: "used up", spared: "ext.permission.separate-denied"},
		"unpacks text": {fault: fromHost(has("result", "result", "content"), func(b []byte) [][]byte {
			var blocks []struct{ Text string }
			if json.Unmarshal(at(b, "result", "result", "content"), &blocks) != nil || len(blocks) != 1 || !json.Valid([]byte(blocks[0].Text)) {
				return [][]byte{b}
			}
			return [][]byte{with(b, json.RawMessage(blocks[0].Text), "result", "result", "structuredContent")}
		}), meant: "ext.script.json-text-stays-text", says: "object", spared: "ext.script.text-is-the-value"},
		"hides structured output": {fault: fromHost(has("result", "result", "structuredContent"), func(b []byte) [][]byte {
			return [][]byte{with(b, nil, "result", "result", "structuredContent")}
		}), meant: "ext.script.structured-is-the-value", says: "status", spared: "ext.script.text-is-the-value"},
		"forgets cancels": {fault: fromHost(func(b []byte) bool { return strings.HasSuffix(strings.ToLower(method(b)), "cancel") }, swallow),
			meant: "ext.session.cancel-spinning", says: "nothing came in time", spared: ping, short: true},
	}
}

// runFaults are about results and summaries.
func runFaults() map[string]broken {
	return map[string]broken{
		"drops a field":   {fault: set(isRunResult, "", "result", "logs"), meant: "ext.script.logs", says: "logs", spared: ping},
		"adds a field":    {fault: set(isRunResult, "1", "result", "debug"), meant: "ext.script.returns-null", says: "debug", spared: ping},
		"failure as good": {fault: set(isRunResult, "false", "result", "isError"), meant: "ext.script.throw", says: "isError", spared: "ext.script.returns-null"},
		"says nothing":    {fault: set(isRunResult, `[{"type":"text","text":""}]`, "result", "content"), meant: "ext.script.returns-nothing", says: "content block", spared: ping},
		"progress after the result": {fault: fault{out: func(s *faultState, b []byte) [][]byte {
			if method(b) == "exec/progress" {
				s.last = with(b, json.RawMessage("1000000"), "params", "seq")
			}
			if isRunResult(b) && s.last != nil {
				return [][]byte{b, s.last}
			}
			return [][]byte{b}
		}}, meant: "ext.session.progress", says: "after its result", spared: ping},
		"progress stands still": {fault: set(is("exec/progress"), "1", "params", "seq"), meant: "ext.session.progress", says: "seq 1 after 1", spared: "ext.script.returns-null"},
		"cannot count": {fault: on(isRunResult, func(_ *faultState, b []byte) [][]byte {
			return [][]byte{bytes.Replace(b, []byte("1 tool call"), []byte("1 tool calls"), 1)}
		}), meant: "ext.session.summary-one", says: "1 tool call", spared: "ext.session.summary-none"},
		"another run": {fault: set(isRunResult, `"somebody"`, "result", "runId"), meant: "ext.script.two-calls", says: "runId", spared: ping},
	}
}

// planFaults are about declaration, catalog and announcements.
func planFaults() map[string]broken {
	plan := has("result", "announcement")
	return map[string]broken{
		"wrong digest": {fault: set(has("result", "digest"), `"`+strings.Repeat("0", 64)+`"`, "result", "digest"),
			meant: "ext.catalog.one-bare", says: "SHA-256", spared: "ext.announce.first"},
		"declares flat beside Exec": {fault: set(has("result", "declare"), `["Exec","mcp__a__one"]`, "result", "declare"),
			meant: "ext.modes.one-tool", says: "declare", spared: "ext.announce.first"},
		"repeats itself": {fault: on(plan, func(s *faultState, b []byte) [][]byte {
			if string(at(b, "result", "announcement", "action")) == `"append"` {
				s.last = at(b, "result", "announcement")
			} else if s.last != nil {
				b = with(b, s.last, "result", "announcement")
			}
			return [][]byte{b}
		}), meant: "ext.announce.same", says: "action", spared: "ext.announce.first"},
		"forgets the marker line": {fault: on(has("result", "announcement", "message"), func(_ *faultState, b []byte) [][]byte {
			var text string
			_ = json.Unmarshal(at(b, "result", "announcement", "message", "text"), &text)
			body, _, _ := cutMarker(text)
			quoted, _ := marshal(body)
			return [][]byte{with(b, quoted, "result", "announcement", "message", "text")}
		}), meant: "ext.announce.first", says: "no marker", spared: "ext.modes.one-tool"},
		"a limit in the description": {fault: on(has("result", "execTool", "description"), func(_ *faultState, b []byte) [][]byte {
			return [][]byte{bytes.Replace(b, []byte("There is no file system"), []byte("A script has 50 calls. There is no file system"), 1)}
		}), meant: "ext.lifecycle.exec-description", says: "50 ", spared: "ext.script.returns-null"},
		"concurrency-safe": {fault: set(has("result", "capabilities", "exec"), "true", "result", "capabilities", "exec", "concurrencySafe"),
			meant: "ext.lifecycle.not-concurrency-safe", says: "concurrencySafe", spared: "ext.script.returns-null"},
	}
}

// endFaults are about the end of the process.
func endFaults() map[string]broken {
	return map[string]broken{
		"wrong exit code": {fault: fault{exit: func(int) int { return 7 }}, meant: "ext.lifecycle.shutdown-null", says: "want 0, got 7", spared: "ext.script.returns-null"},
		"never says goodbye": {fault: fromHost(is("shutdown"), swallow), meant: "ext.lifecycle.shutdown-null", says: "nothing came in time",
			spared: "ext.script.returns-null", short: true},
		"leaves a process behind": {fault: fromHost(is("shutdown"), func(b []byte) [][]byte {
			_ = exec.Command(os.Args[0], "orphan").Start()
			return [][]byte{b}
		}), meant: "ext.lifecycle.shutdown-null", says: "left behind", spared: "ext.script.returns-null", short: true},
	}
}

// atOnce is how many broken extensions run at a time; most of them only make the kit wait.
const atOnce = 4

// Each broken extension fails the check that is meant for it, for the reason meant, and passes another.
func TestBrokenExtensionsAreFound(t *testing.T) {
	program := program(t)
	all := faults()
	if len(all) < 15 {
		t.Fatalf("only %d faults", len(all))
	}
	places := make(chan struct{}, atOnce)
	found := map[string]func() (map[string]report.Result, error){}
	for name, b := range all {
		found[name] = sync.OnceValues(func() (map[string]report.Result, error) {
			places <- struct{}{}
			defer func() { <-places }()
			return runFaulty(program, name, b)
		})
		go found[name]()
	}
	for name, b := range all {
		t.Run(name, func(t *testing.T) {
			results, err := found[name]()
			if err != nil {
				t.Fatal(err)
			}
			meant := results[b.meant]
			if meant.Outcome != report.Fail || !strings.Contains(meant.Detail, b.says) {
				t.Errorf("%s: %s, want a failure that says %q\n%s", b.meant, meant.Outcome, b.says, meant.Detail)
			}
			if b.spared != "" && results[b.spared].Outcome != report.Pass {
				t.Errorf("%s: %s\n%s", b.spared, results[b.spared].Outcome, results[b.spared].Detail)
			}
		})
	}
}

// The proxy alone breaks nothing: what the faults are held to passes through it.
func TestProxyWithoutFault(t *testing.T) {
	program := program(t)
	var ids []string
	for _, b := range faults() {
		ids = append(ids, b.meant)
	}
	slices.Sort(ids)
	r, err := Run(context.Background(), Options{Framing: "ndjson", Options: suite.Options{
		Command: []string{os.Args[0], "faulty", noFault, program, "serve"}, Case: strings.Join(slices.Compact(ids), ","), Timeout: time.Minute,
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range r.Results {
		if res.Outcome != report.Pass && res.ID != goodbyesID {
			t.Errorf("%s\n%s", res.Name(), res.Detail)
		}
	}
}

// runFaulty runs the two checks of a broken extension.
func runFaulty(program, name string, b broken) (map[string]report.Result, error) {
	timeout := time.Minute
	if b.short {
		timeout = 8 * time.Second
	}
	r, err := Run(context.Background(), Options{Framing: "ndjson", Options: suite.Options{
		Command: []string{os.Args[0], "faulty", name, program, "serve"},
		Case:    strings.TrimSuffix(b.meant+","+b.spared, ","), Jobs: 1, Timeout: timeout,
	}})
	if err != nil {
		return nil, err
	}
	out := map[string]report.Result{}
	for _, res := range r.Results {
		out[res.ID] = res
	}
	return out, nil
}
