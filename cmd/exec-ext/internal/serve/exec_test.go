package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
)

func TestS1_1_TheSecondCallGetsTheFirstsValue(t *testing.T) {
	h := &host{callTool: func(_ context.Context, p hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error) {
		if p.Name == "mcp__srv__fetch" {
			return structured(`{"n":1.0,"big":9007199254740991}`), nil
		}
		return text("stored"), nil
	}}
	s := open(t, h)
	r := s.run(`const a = await tools.mcp__srv__fetch({id:1}); return await tools.mcp__srv__store({value:a})`)
	wantValue(t, r, `"stored"`)
	want := []string{`mcp__srv__fetch {"id":1}`, `mcp__srv__store {"value":{"n":1,"big":9007199254740991}}`}
	if got := h.called(); !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	if got := modelText(t, r); got != "stored" {
		t.Errorf("a returned string is not handed over as it is: %q", got)
	}
}

func TestS1_2_NoEnvelope(t *testing.T) {
	s := open(t, &host{callTool: always(hostapi.HostCallToolResult{Outcome: "result",
		Result: json.RawMessage(`{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"text","text":"x"}]}`)})})
	r := s.run(`const v = await tools.mcp__srv__fetch(); return [v, typeof v]`)
	wantValue(t, r, `["x","string"]`)
	if len(r.Content) != 2 || !strings.Contains(string(r.Content[1]), `"AAAA"`) {
		t.Errorf("the image is not attached: %s", r.Content)
	}
	if strings.Contains(modelText(t, r), "AAAA") {
		t.Error("the image stands in the text")
	}
}

func TestS1_3_ArgumentsReachTheHostAsWritten(t *testing.T) {
	h := &host{}
	s := open(t, h)
	s.run(`await tools.mcp__srv__fetch({ z: 1, a: { y: null, b: [1.5, "é<&>"] }, skip: undefined, Z: true })`)
	want := `mcp__srv__fetch {"z":1,"a":{"y":null,"b":[1.5,"é<&>"]},"Z":true}`
	if got := h.called(); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestS1_4_E2_S7_6_UnknownNames(t *testing.T) {
	h := &host{}
	s := open(t, h)
	r := s.run(`try { await tools.mcp__srv__fetsh({}) } catch (e) { return e.message }`)
	got := modelText(t, r)
	for _, want := range []string{"Only MCP tools are reachable", `tools["$codemode"].search(`, "mcp__srv__fetch"} {
		if !strings.Contains(got, want) {
			t.Errorf("the message lacks %q: %s", want, got)
		}
	}
	if r.Summary.Total != 0 || len(r.Calls) != 0 || len(h.called()) != 0 {
		t.Errorf("an unknown name counts: %+v", r.Summary)
	}
	wantFailure(t, s.run(`await tools.search("x")`), "code_error", "script_error", `tools["$codemode"].search(`)
}

func TestS1_5_ARejectedCallCanBeCaught(t *testing.T) {
	s := open(t, &host{callTool: always(hostapi.HostCallToolResult{Outcome: "result",
		Result: json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"no such row"}]}`)})})
	r := s.run(`let why; try { await tools.mcp__srv__fetch({}) } catch (e) { why = e.message } return why + "!"`)
	wantValue(t, r, `"no such row!"`)
	if r.Calls[0].Status != "error" {
		t.Errorf("the ledger says %q", r.Calls[0].Status)
	}
	wantFailure(t, s.run(`await tools.mcp__srv__fetch({})`), "code_error", "script_error", "no such row")
}

func TestS1_6_ConsoleComesBack(t *testing.T) {
	s := open(t, &host{})
	r := s.run(`console.log("step", 1, {a: 1}); return 5`)
	if r.Logs.Text != "step 1 { a: 1 }" || r.Logs.Truncated {
		t.Errorf("logs %+v", r.Logs)
	}
	if got := modelText(t, r); !strings.Contains(got, "step 1") || !strings.HasPrefix(got, "5") {
		t.Errorf("text %q", got)
	}
}

func TestS1_7_TheTextIsNeverEmpty(t *testing.T) {
	s := open(t, &host{})
	for _, c := range []struct{ code, contains, value string }{
		{`return {b: 1, a: [null]}`, `{"b":1,"a":[null]}`, `{"b":1,"a":[null]}`},
		{`return null`, `null`, `null`},
		{`return ""`, `empty string`, `""`},
		{`const x = 1`, `without a return value and without console output`, ``},
		{`console.log("only this")`, `only this`, ``},
	} {
		r := s.run(c.code)
		wantValue(t, r, c.value)
		if got := modelText(t, r); !strings.Contains(got, c.contains) {
			t.Errorf("%s: text %q lacks %q", c.code, got, c.contains)
		}
	}
}

func TestS8_InFunnelDenials(t *testing.T) {
	s := open(t, &host{callTool: always(hostapi.HostCallToolResult{Outcome: "denied", Reason: "not on Fridays", By: "user"})})
	r := s.run(`try { await tools.mcp__srv__fetch({}) } catch (e) { return e.message }`)
	if !strings.Contains(modelText(t, r), "not on Fridays") { // S8.3
		t.Errorf("the reason does not reach the script: %s", modelText(t, r))
	}
	if r.Summary.Text != "1 tool call\nmcp__srv__fetch" || r.Calls[0].Status != "denied" { // S10.7
		t.Errorf("summary %q, calls %+v", r.Summary.Text, r.Calls)
	}
	r = s.run(`await tools.mcp__srv__fetch({})`) // S8.4
	wantFailure(t, r, "code_error", "denied", "not on Fridays")
	if r.Summary.Text != "failed" || r.Summary.State != "failed" { // S10.6
		t.Errorf("summary %+v", r.Summary)
	}
}

func TestS8_1_S8_2_SeparateGrantsAreForTheSameBytes(t *testing.T) {
	h := &host{separate: true, permission: func(_ context.Context, p hostapi.HostPermissionParams) (hostapi.HostPermissionResult, error) {
		if p.Name == "mcp__srv__store" {
			return hostapi.HostPermissionResult{Decision: "deny", Reason: "read only"}, nil
		}
		return hostapi.HostPermissionResult{Decision: "allow", Grant: "g-" + p.CallID}, nil
	}}
	s := open(t, h)
	r := s.run(`await tools.mcp__srv__fetch({b: 1, a: 2}); await tools.mcp__srv__store({})`)
	wantFailure(t, r, "code_error", "denied", "read only")
	if len(h.calls) != 1 || len(h.asked) != 2 {
		t.Fatalf("%d calls, %d questions", len(h.calls), len(h.asked))
	}
	call, asked := h.calls[0], h.asked[0]
	if call.Grant != "g-"+call.CallID || call.CallID != asked.CallID || string(call.Arguments) != string(asked.Arguments) {
		t.Errorf("call %+v does not fit the question %+v", call, asked)
	}
}

func TestS8_5_E3_RefusedWithoutASandbox(t *testing.T) {
	unavailable := &hostapi.PoolSnapshot{Status: "unavailable", Reason: "servers are starting"}
	denied := pool("mcp__srv__fetch")
	denied.Deny = []string{"Exec"}
	for _, c := range []struct {
		name, status, kind, contains string
		host                         *host
		params                       hostapi.ExecRunParams
	}{
		{"S8.5 denied", "not_available", "denied", "permission rule", &host{}, hostapi.ExecRunParams{Exec: "denied"}},
		{"S8.5 denied by the pool's rules", "not_available", "denied", "permission rule", &host{}, hostapi.ExecRunParams{Pool: &denied}},
		{"not registered", "not_available", "not_available", "directly", &host{}, hostapi.ExecRunParams{Exec: "not_registered"}},
		{"S9.5 excluded", "not_available", "not_available", "directly", &host{}, hostapi.ExecRunParams{Exec: "excluded"}},
		{"S9.5 excluded by config", "not_available", "not_available", "directly", &host{config: `{"disallowedTools":["Exec"]}`}, hostapi.ExecRunParams{}},
		{"S9.2 off", "not_available", "not_available", "switched off", &host{config: `{"enableExec":{"local":false}}`}, hostapi.ExecRunParams{}},
		{"E3 no manager", "not_available", "no_pool", "servers are starting", &host{}, hostapi.ExecRunParams{Pool: unavailable}},
		{"E3 neither given nor served", "not_available", "no_pool", "no list of tools", &host{noPool: true}, hostapi.ExecRunParams{}},
		{"host cannot call", "not_available", "not_available", "no way to call tools", &host{mute: true}, hostapi.ExecRunParams{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, c.host)
			c.params.Input = json.RawMessage(`{"code":"return 1"}`)
			r := s.exec(c.params)
			wantFailure(t, r, c.status, c.kind, c.contains)
			if r.Stats.WallMs != 0 || r.Summary.Text != "failed" {
				t.Errorf("stats %+v, summary %q", r.Stats, r.Summary.Text)
			}
		})
	}
}

func TestS10_4_ProgressAtEveryCall(t *testing.T) {
	h := &host{}
	s := open(t, h)
	r := s.run(`for (let i = 0; i < 3; i++) await tools.mcp__srv__fetch({i}); return 1`)
	if r.Summary.Text != "... 3 tool calls\nmcp__srv__fetch\nmcp__srv__fetch" || r.Summary.State != "done" {
		t.Errorf("summary %+v", r.Summary)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := map[int]bool{}
	for i, p := range h.progress {
		seen[p.Summary.Total] = true
		if p.Summary.State != "running" || i > 0 && p.Seq <= h.progress[i-1].Seq {
			t.Errorf("progress %d: %+v", i, p)
		}
	}
	for n := 1; n <= 3; n++ {
		if !seen[n] {
			t.Errorf("no progress with %d calls; got %+v", n, h.progress)
		}
	}
}

func TestS10_9_TheSummaryIsNoPartOfTheText(t *testing.T) {
	s := open(t, &host{})
	if got := modelText(t, s.run(`await tools.mcp__srv__fetch({}); return "v"`)); got != "v" {
		t.Errorf("text %q", got)
	}
}

func TestE1_ToolsIsNoThenable(t *testing.T) {
	s := open(t, &host{})
	wantValue(t, s.run(`const x = await tools; return [typeof x.then, typeof String(tools), typeof tools.mcp__srv__fetch]`), `["undefined","string","function"]`)
}

func TestE4_M3_NoCodeNoSandbox(t *testing.T) {
	h := &host{config: `{"limits":{"codeBytes":1024}}`}
	s := open(t, h)
	for _, input := range []string{``, `null`, `{}`, `{"code":""}`, `{"code":" \n\t"}`, `{"code":5}`, `[]`, `""`, `{"Code":"return 1"}`} {
		r := s.exec(hostapi.ExecRunParams{Input: json.RawMessage(input)})
		wantFailure(t, r, "code_error", "invalid_input", "no script")
	}
	r := s.run("return 1 //" + strings.Repeat("x", 2000))
	wantFailure(t, r, "code_error", "invalid_input", "too long")
	if strings.Contains(modelText(t, r), "1024") {
		t.Error("the text holds the limit")
	}
	if len(h.pools) != 0 {
		t.Error("the host was asked for its pool")
	}
}

func TestM2_ABareStringIsTheCode(t *testing.T) {
	s := open(t, &host{})
	wantValue(t, s.exec(hostapi.ExecRunParams{Input: json.RawMessage(`"return 1 + 1"`)}), `2`)
}

func TestE5_LogsSurviveAThrow(t *testing.T) {
	s := open(t, &host{})
	r := s.run("console.log('before');\nawait tools.mcp__srv__store({});\nthrow new TypeError('bad thing')")
	wantFailure(t, r, "code_error", "script_error", "bad thing", "before", "TypeError", "line 3", "Completed calls, which stay in effect: mcp__srv__store.")
	if r.Error.Line != 3 || r.Error.Name != "TypeError" {
		t.Errorf("error %+v", r.Error)
	}
}

func TestS4_4_OnlyTheCallOverTheLimitIsRejected(t *testing.T) {
	h := &host{config: `{"limits":{"toolCalls":2}}`}
	s := open(t, h)
	r := s.run(`let n = 0, why = ""; for (let i = 0; i < 3; i++) try { await tools.mcp__srv__fetch({}); n++ } catch (e) { why = e.message } return [n, why]`)
	if r.Status != "completed" || !strings.HasPrefix(string(r.ReturnValue), `[2,"This script has made as many`) {
		t.Errorf("value %s", r.ReturnValue)
	}
	if len(h.called()) != 2 || r.Summary.Total != 3 || r.Calls[2].Status != "limit" {
		t.Errorf("%d calls, summary %+v, ledger %+v", len(h.called()), r.Summary, r.Calls)
	}
	wantFailure(t, s.run(`for (;;) await tools.mcp__srv__fetch({})`), "budget_exceeded", "tool_call_limit", "Completed calls, which stay in effect: mcp__srv__fetch (2 times).")
}

func TestS4_5_LogsAreCut(t *testing.T) {
	s := open(t, &host{config: `{"limits":{"logChars":100}}`})
	r := s.run(`for (let i = 0; i < 50; i++) console.log("line " + i + " 😀"); return 1`)
	if !r.Logs.Truncated || len(r.Logs.Text) > 200 || !strings.Contains(modelText(t, r), "log budget is used up") {
		t.Errorf("logs %+v\n%s", r.Logs, modelText(t, r))
	}
}

// With no room for logs at all, the model still learns that there were some.
func TestS4_5_NoLogsAtAll(t *testing.T) {
	for _, format := range []string{"text", "structured"} {
		s := open(t, &host{config: `{"limits":{"logChars":0},"resultFormat":"` + format + `"}`})
		r := s.run(`console.log("😀x")`)
		got := modelText(t, r)
		if r.Logs.Text != "" || r.Logs.Chars != 3 || !strings.Contains(got, "It had 3 characters in total") || strings.Contains(got, "without console output") {
			t.Errorf("logs %+v\n%s", r.Logs, got)
		}
		if quiet := modelText(t, s.run(`return 1`)); strings.Contains(quiet, "onsole") {
			t.Errorf("text %q", quiet)
		}
	}
}

func TestS4_6_M17_OverlongValues(t *testing.T) {
	s := open(t, &host{config: `{"limits":{"resultChars":100}}`})
	r := s.run(`return "😀".repeat(1000)`)
	if r.Status != "completed" || r.ReturnValue != nil || r.Truncated == nil || r.Truncated.Result.TotalChars != 2000 || r.Truncated.Result.ShownChars != 100 {
		t.Errorf("status %s, truncated %+v", r.Status, r.Truncated)
	}
	if got := modelText(t, r); !strings.Contains(got, "2000 characters in total") || strings.Contains(got, "100 ") {
		t.Errorf("text %q", got)
	}
	if _, err := s.ext.ConfigUpdate(t.Context(), hostapi.ConfigUpdateParams{Patch: json.RawMessage(`{"overlongResult":"fail"}`)}); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, s.run(`return "x".repeat(1000)`), "budget_exceeded", "result_too_long", "Aggregate")
}

func TestS4_7_ImagesAreCapped(t *testing.T) {
	s := open(t, &host{config: `{"limits":{"images":2}}`, callTool: func(_ context.Context, p hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error) {
		return hostapi.HostCallToolResult{Outcome: "result", Result: json.RawMessage(fmt.Sprintf(`{"content":[{"type":"image","data":"%d","mimeType":"image/png"}]}`, p.Index))}, nil
	}})
	r := s.run(`for (let i = 0; i < 5; i++) await tools.mcp__srv__fetch({}); return null`)
	if len(r.Content) != 3 || !strings.Contains(string(r.Content[2]), `"2"`) || !strings.Contains(modelText(t, r), "3 images") {
		t.Errorf("content %s", r.Content)
	}
}

func TestS7_3_S7_5_SearchFromTheScript(t *testing.T) {
	h := &host{}
	s := open(t, h)
	r := s.run(`const hits = await tools["$codemode"].search(); return [Array.isArray(hits), hits.map(h => h.name), Object.keys(hits[0])]`)
	wantValue(t, r, `[true,["mcp__srv__fetch","mcp__srv__store"],["name","description","signature"]]`)
	if r.Summary.Text != "1 tool call\n$codemode.search" || len(h.called()) != 0 {
		t.Errorf("summary %q", r.Summary.Text)
	}
}

func TestM8_StructuredResult(t *testing.T) {
	s := open(t, &host{config: `{"resultFormat":"structured"}`})
	r := s.run(`console.log("l"); await tools.mcp__srv__fetch({}); return "a </return_value> b"`)
	want := "<exec status=\"completed\">\n<return_value>a &lt;/return_value> b</return_value>\n<logs>l</logs>\n<trace>mcp__srv__fetch: ok</trace>\n</exec>"
	if got := modelText(t, r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	r = s.run(`throw new Error("no")`)
	if got := modelText(t, r); !strings.HasPrefix(got, `<exec status="code_error">`) || !strings.Contains(got, "<error_message>Error") {
		t.Errorf("got %s", got)
	}
}

func TestCallsNotAwaitedAreNamed(t *testing.T) {
	s := open(t, &host{callTool: func(ctx context.Context, _ hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error) {
		<-ctx.Done()
		return hostapi.HostCallToolResult{}, ctx.Err()
	}})
	r := s.run(`tools.mcp__srv__store({}); return 1`)
	wantValue(t, r, `1`)
	if len(r.Calls) != 1 || r.Calls[0].Status != "in_flight" || !strings.Contains(modelText(t, r), "mcp__srv__store") {
		t.Errorf("calls %+v\n%s", r.Calls, modelText(t, r))
	}
}

func TestTheHostsOddAnswersReject(t *testing.T) {
	for name, answer := range map[string]func() (hostapi.HostCallToolResult, error){
		"an rpc error": func() (hostapi.HostCallToolResult, error) {
			return hostapi.HostCallToolResult{}, &rpc.Error{Code: -32000, Message: "boom"}
		},
		"no outcome":      func() (hostapi.HostCallToolResult, error) { return hostapi.HostCallToolResult{}, nil },
		"unknown outcome": func() (hostapi.HostCallToolResult, error) { return hostapi.HostCallToolResult{Outcome: "maybe"}, nil },
		"result is no object": func() (hostapi.HostCallToolResult, error) {
			return hostapi.HostCallToolResult{Outcome: "result", Result: json.RawMessage(`5`)}, nil
		},
		"unreachable": func() (hostapi.HostCallToolResult, error) {
			return hostapi.HostCallToolResult{Outcome: "unreachable", Reason: "server died"}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, &host{callTool: func(context.Context, hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error) { return answer() }})
			r := s.run(`try { await tools.mcp__srv__fetch({}) } catch (e) { return e instanceof Error && e.message.length > 10 }`)
			wantValue(t, r, `true`)
		})
	}
}

func TestTheHostsMessageLimitIsKept(t *testing.T) {
	h := &host{maxBytes: 20_000, callTool: always(hostapi.HostCallToolResult{Outcome: "result",
		Result: json.RawMessage(`{"content":[{"type":"image","data":"` + strings.Repeat("A", 6000) + `","mimeType":"image/png"}]}`)})}
	s := open(t, h)
	r := s.run(`let why; try { await tools.mcp__srv__store({ blob: "x".repeat(30000) }) } catch (e) { why = e.message }
		await tools.mcp__srv__fetch({}); await tools.mcp__srv__fetch({}); return why`)
	if r.Status != "completed" || !strings.Contains(string(r.ReturnValue), "too large for the host") {
		t.Errorf("status %s, value %s", r.Status, r.ReturnValue)
	}
	if len(h.called()) != 2 || len(r.Content) != 2 || !strings.Contains(modelText(t, r), "1 image of a tool result was dropped") {
		t.Errorf("%d calls, %d blocks\n%s", len(h.called()), len(r.Content), modelText(t, r))
	}
}

// Every failure has a name on the wire: the error's own, or the one of its kind.
func TestEveryErrorHasAName(t *testing.T) {
	s := open(t, &host{})
	for code, want := range map[string]string{
		"await new Promise(() => {})": "stalled StalledError",
		"return { a: 5n }":            "unserializable UnserializableError",
		"throw 3":                     "script_error Error",
		"const e = new Error('x'); e.name = ''; throw e": "script_error Error",
		"return nothing":             "script_error ReferenceError",
		"return (":                   "syntax_error SyntaxError",
		"   ":                        "invalid_input Error",
		"await tools.mcp__no__x({})": "script_error Error",
		"class Odd extends Error { name = 'Odd' }; throw new Odd('x')": "script_error Odd",
	} {
		r := s.run(code)
		if r.Error == nil || r.ErrorKind+" "+r.Error.Name != want {
			t.Errorf("%s: kind %s, error %+v, want %s", code, r.ErrorKind, r.Error, want)
		}
	}
}
