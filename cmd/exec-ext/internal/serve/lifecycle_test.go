package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/rs/zerolog"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/serve"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
)

// hangs answers no call until its context ends.
func hangs(ctx context.Context, _ hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error) {
	<-ctx.Done()
	return hostapi.HostCallToolResult{}, ctx.Err()
}

// begin starts a run and gives its result when it comes.
func (s *session) begin(p hostapi.ExecRunParams, code string) <-chan hostapi.ExecResult {
	input, _ := json.Marshal(map[string]string{"code": code})
	p.Input = input
	out := make(chan hostapi.ExecResult, 1)
	go func() {
		r, err := s.ext.ExecRun(context.Background(), p)
		if err != nil {
			s.t.Errorf("exec/run: %v", err)
		}
		out <- r
	}()
	return out
}

// eventually waits for a condition that another goroutine brings about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("%s: not within ten seconds", what)
}

func code(t *testing.T, err error) int {
	t.Helper()
	var wire *rpc.Error
	if !errors.As(err, &wire) {
		t.Fatalf("no JSON-RPC error: %v", err)
	}
	return wire.Code
}

func TestS4_8_CancelEndsARunWithItsResult(t *testing.T) {
	h := &host{callTool: hangs}
	s := open(t, h)
	done := s.begin(hostapi.ExecRunParams{SessionID: "s", RunID: "r"}, `console.log("began"); await tools.mcp__srv__store({})`)
	eventually(t, "the call", func() bool { return len(h.called()) == 1 })
	s.ext.ExecCancel(hostapi.ExecCancelParams{SessionID: "s", RunID: "r", Reason: "changed my mind"})
	r := <-done
	wantFailure(t, r, "cancelled", "cancelled", "changed my mind", "began", "may or may not have taken effect: mcp__srv__store")
	if r.Calls[0].Status != "in_flight" {
		t.Errorf("the ledger says %q", r.Calls[0].Status)
	}
}

func TestS4_8_CancelRightBehindTheRunStartsNoSandbox(t *testing.T) {
	h := &host{}
	s := open(t, h)
	for i := range 20 {
		id := fmt.Sprint("r", i)
		done := s.begin(hostapi.ExecRunParams{SessionID: id, RunID: id}, `for (;;);`)
		eventually(t, "the run", func() bool {
			s.ext.ExecCancel(hostapi.ExecCancelParams{SessionID: id})
			select {
			case r := <-done:
				wantFailure(t, r, "cancelled", "cancelled")
				return true
			default:
				return false
			}
		})
	}
}

// The slot of a run whose host never gives the pool is free when the run's time is over.
func TestS4_1_AHangingPoolFreesItsSlot(t *testing.T) {
	never := make(chan struct{})
	h := &host{config: `{"limits":{"concurrentRuns":1}}`, snapshot: func(p hostapi.HostPoolParams) (hostapi.PoolSnapshot, error) {
		if p.SessionID == "hangs" {
			<-never
		}
		return pool("mcp__srv__fetch"), nil
	}}
	s := open(t, h)
	t.Cleanup(func() { close(never) })
	hung := s.begin(hostapi.ExecRunParams{SessionID: "hangs", RunID: "hung", Limits: json.RawMessage(`{"wallMs":100}`)}, `return 1`)
	wantFailure(t, <-hung, "timeout", "timeout", "nothing has run")
	wantValue(t, s.run(`return 2`), `2`)
}

func TestHostCancelledOutcomeCancelsTheRun(t *testing.T) {
	s := open(t, &host{callTool: always(hostapi.HostCallToolResult{Outcome: "cancelled", Reason: "user pressed escape"})})
	wantFailure(t, s.run(`try { await tools.mcp__srv__fetch({}) } catch {} for (;;);`), "cancelled", "cancelled", "user pressed escape")
}

func TestQueueAnswers(t *testing.T) {
	h := &host{callTool: hangs}
	s := open(t, h)
	first := s.begin(hostapi.ExecRunParams{SessionID: "s", RunID: "first"}, `await tools.mcp__srv__fetch({})`)
	eventually(t, "the first run", func() bool { return len(h.called()) == 1 })

	_, err := s.ext.ExecRun(t.Context(), hostapi.ExecRunParams{SessionID: "s", RunID: "first", Input: json.RawMessage(`"1"`)})
	if code(t, err) != -31008 {
		t.Errorf("a duplicate run: %v", err)
	}
	wantFailure(t, s.exec(hostapi.ExecRunParams{ParentRunID: "first", Input: json.RawMessage(`"return 1"`)}), "not_available", "reentrant", "inside it")
	other := s.exec(hostapi.ExecRunParams{SessionID: "sub", ParentRunID: "first", Input: json.RawMessage(`"return 7"`)})
	wantValue(t, other, `7`)

	var waiting []<-chan hostapi.ExecResult
	for i := range 8 {
		waiting = append(waiting, s.begin(hostapi.ExecRunParams{SessionID: "s", RunID: fmt.Sprint("w", i)}, fmt.Sprint("return ", i)))
	}
	health := func() hostapi.HealthResult {
		r, err := s.ext.Health(t.Context(), hostapi.HealthParams{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	eventually(t, "eight waiting", func() bool { return health().Runs.Queued == 8 })
	wantFailure(t, s.exec(hostapi.ExecRunParams{Input: json.RawMessage(`"return 1"`)}), "sandbox_error", "overloaded", "waiting already")
	s.ext.ExecCancel(hostapi.ExecCancelParams{SessionID: "s", RunID: "first"})
	wantFailure(t, <-first, "cancelled", "cancelled")
	for i, w := range waiting {
		wantValue(t, <-w, fmt.Sprint(i))
	}
	if r := health().Runs; r.Live != 0 || r.Queued != 0 {
		t.Errorf("left over: %+v", r)
	}
}

func TestS4_9_N9_ADeadHostLosesTheCallNotTheRun(t *testing.T) {
	h := &host{callTool: hangs}
	s := open(t, h)
	s.begin(hostapi.ExecRunParams{SessionID: "s", RunID: "r"}, `await tools.mcp__srv__fetch({})`)
	eventually(t, "the call", func() bool { return len(h.called()) == 1 })
	// The pipe breaks under the run: serve ends by itself and leaves no worker.
	h2 := make(chan int, 1)
	go func() { h2 <- s.end() }()
	select {
	case got := <-h2:
		if got != serve.ExitNoGoodbye {
			t.Errorf("exit code %d", got)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("serve does not end")
	}
}

func TestM5_ConcurrentCalls(t *testing.T) {
	h := &host{config: `{"limits":{"concurrentCalls":2}}`}
	release := make(chan struct{})
	h.callTool = func(ctx context.Context, p hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return structured(fmt.Sprint(p.Index)), nil
	}
	s := open(t, h)
	done := s.begin(hostapi.ExecRunParams{SessionID: "s", RunID: "r"}, `return await Promise.all([1,2,3,4,5].map(i => tools.mcp__srv__fetch({i})))`)
	eventually(t, "two calls", func() bool { return len(h.called()) == 2 })
	time.Sleep(20 * time.Millisecond)
	if n := len(h.called()); n != 2 {
		t.Errorf("%d calls at once", n)
	}
	close(release)
	wantValue(t, <-done, `[1,2,3,4,5]`)
}

func TestS9_4_ConfigUpdateTakesEffectAtOnce(t *testing.T) {
	s := open(t, &host{})
	patch := func(p string) hostapi.ConfigUpdateResult {
		r, err := s.ext.ConfigUpdate(t.Context(), hostapi.ConfigUpdateParams{Patch: json.RawMessage(p)})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	mode := func() string {
		r, err := s.ext.TurnPrepare(t.Context(), hostapi.TurnPrepareParams{SessionID: "s", History: []string{}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Mode + "/" + r.Reason
	}
	if got := mode(); got != "exec/pool_nonempty" {
		t.Fatal(got)
	}
	if r := patch(`{"enableExec":{"local":false}}`); !slices.Equal(r.Changed, []string{"enableExec.local"}) {
		t.Errorf("changed %v", r.Changed)
	}
	if got := mode(); got != "flat/disabled" {
		t.Error(got)
	}
	patch(`{"enableExec":{"remote":true}}`)
	if got := mode(); got != "exec/pool_nonempty" {
		t.Error(got)
	}
	if r := patch(`{"limits":{"toolCalls":100000}}`); len(r.Clamped) != 1 || r.EffectiveConfig.Limits.ToolCalls != 500 {
		t.Errorf("clamped %+v", r.Clamped)
	}
	_, err := s.ext.ConfigUpdate(t.Context(), hostapi.ConfigUpdateParams{Patch: json.RawMessage(`{"enableExec":{"remote":false},"limits":{"images":"many"}}`)})
	if code(t, err) != -32602 || mode() != "exec/pool_nonempty" {
		t.Errorf("a wrong type was half applied: %v, %s", err, mode())
	}
}

func TestS2_6_S2_7_OneDenyFilterAndThePoolOfTheMoment(t *testing.T) {
	h := &host{}
	now := pool("mcp__a__one", "mcp__b__two")
	h.snapshot = func(hostapi.HostPoolParams) (hostapi.PoolSnapshot, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		return now, nil
	}
	s := open(t, h)
	set := func(p hostapi.PoolSnapshot) { h.mu.Lock(); now = p; h.mu.Unlock() }
	wantValue(t, s.run(`return Object.keys(tools).filter(n => n.startsWith("mcp__"))`), `["mcp__a__one","mcp__b__two"]`)
	denied := pool("mcp__a__one", "mcp__b__two")
	denied.Deny = []string{"mcp__b__*"}
	set(denied)
	wantValue(t, s.run(`return Object.keys(tools).filter(n => n.startsWith("mcp__"))`), `["mcp__a__one"]`)
	r := s.run(`await tools.mcp__b__two({})`)
	wantFailure(t, r, "code_error", "script_error", "Only MCP tools are reachable")
	catalog, err := s.ext.CatalogRender(t.Context(), hostapi.CatalogRenderParams{SessionID: "s"})
	if err != nil || strings.Contains(catalog.Text, "mcp__b__two") {
		t.Errorf("the denied tool is in the catalog: %v", err)
	}
	set(pool("mcp__c__new"))
	wantValue(t, s.run(`return typeof await tools.mcp__c__new({})`), `"object"`)
	set(pool())
	wantValue(t, s.run(`return "runs on an empty pool"`), `"runs on an empty pool"`)
}

func TestPoolRevisionSavesTheTransfer(t *testing.T) {
	h := &host{}
	h.snapshot = func(p hostapi.HostPoolParams) (hostapi.PoolSnapshot, error) {
		if p.IfRevision == "7" {
			return hostapi.PoolSnapshot{Status: "unchanged", Revision: "7"}, nil
		}
		s := pool("mcp__a__one")
		s.Revision = "7"
		return s, nil
	}
	s := open(t, h)
	for range 3 {
		r, err := s.ext.TurnPrepare(t.Context(), hostapi.TurnPrepareParams{SessionID: "s"})
		if err != nil || r.Mode != "exec" || r.Pool.Revision != "7" || r.Pool.Size != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if h.pools[0].IfRevision != "" || h.pools[1].IfRevision != "7" || h.pools[2].Purpose != "turn" {
		t.Errorf("asked %+v", h.pools)
	}
	_, err := s.ext.TurnPrepare(t.Context(), hostapi.TurnPrepareParams{SessionID: "s", Pool: &hostapi.PoolSnapshot{Status: "unchanged"}})
	if code(t, err) != -32602 {
		t.Errorf("unchanged was taken inline: %v", err)
	}
}

func TestE3_PoolTroubleIsUnavailableNotEmpty(t *testing.T) {
	for name, snapshot := range map[string]func(hostapi.HostPoolParams) (hostapi.PoolSnapshot, error){
		"error": func(hostapi.HostPoolParams) (hostapi.PoolSnapshot, error) {
			return hostapi.PoolSnapshot{}, errors.New("no")
		},
		"unchanged": func(hostapi.HostPoolParams) (hostapi.PoolSnapshot, error) {
			return hostapi.PoolSnapshot{Status: "unchanged"}, nil
		},
		"unknown status": func(hostapi.HostPoolParams) (hostapi.PoolSnapshot, error) {
			return hostapi.PoolSnapshot{Status: "soon"}, nil
		},
		"not yet ready": func(hostapi.HostPoolParams) (hostapi.PoolSnapshot, error) {
			return hostapi.PoolSnapshot{Status: "unavailable"}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, &host{snapshot: snapshot})
			r, err := s.ext.TurnPrepare(t.Context(), hostapi.TurnPrepareParams{SessionID: "s", History: []string{}})
			if err != nil || r.Mode != "flat" || r.Reason != "pool_unavailable" || r.Declare != nil || r.Announcement.Action != "none" {
				t.Errorf("%+v, %v", r, err)
			}
			wantFailure(t, s.run(`return 1`), "not_available", "no_pool", "MCP tools are not available")
			_, err = s.ext.CatalogRender(t.Context(), hostapi.CatalogRenderParams{SessionID: "s"})
			if code(t, err) != -31007 {
				t.Error(err)
			}
		})
	}
}

func TestS2_3_DenyRulesCountWithoutAPool(t *testing.T) {
	s := open(t, &host{})
	r, err := s.ext.TurnPrepare(t.Context(), hostapi.TurnPrepareParams{
		SessionID: "s", Pool: &hostapi.PoolSnapshot{Status: "unavailable", Deny: []string{"Exec"}},
	})
	if err != nil || r.Mode != "flat" || r.Reason != "denied" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestHealthSelfTest(t *testing.T) {
	s := open(t, &host{})
	r, err := s.ext.Health(t.Context(), hostapi.HealthParams{SelfTest: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Checks) == 0 || r.Version != "test" || r.Isolation.Mode != "process" {
		t.Errorf("%+v", r)
	}
	for _, c := range r.Checks {
		if !c.Pass {
			t.Errorf("%s: %s", c.ID, c.Detail)
		}
	}
}

func TestS6_1_N4_N8_TheDeclarationIsConstant(t *testing.T) {
	s := open(t, &host{})
	tool := s.init.ExecTool
	if tool.Name != "Exec" || s.init.Capabilities.Exec.ConcurrencySafe {
		t.Errorf("%+v", tool)
	}
	for _, forbidden := range []string{"mcp__", "PARTIAL", "2000", "50", "60000", "256"} {
		if strings.Contains(tool.Description, forbidden) {
			t.Errorf("the description holds %q", forbidden)
		}
	}
	if !strings.Contains(tool.Description, "$codemode") {
		t.Error("the description does not name the reserved namespace")
	}
	r, err := s.ext.TurnPrepare(t.Context(), hostapi.TurnPrepareParams{SessionID: "s"})
	if err != nil || r.ExecTool.Description != tool.Description || !slices.Equal(r.Declare, []string{"Exec"}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// pipe serves input that ends, as `... | exec-ext serve` does, and gives the answers by line.
func pipe(t *testing.T, lines ...string) (answers []string, exit int) {
	t.Helper()
	var out bytes.Buffer
	exit = serve.Serve(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out, serve.Options{Version: "test", Log: zerolog.Nop()})
	for line := range strings.Lines(out.String()) {
		answers = append(answers, strings.TrimSpace(line))
	}
	return answers, exit
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"t","version":"1"},"processId":null,"capabilities":{"callTool":{}}}}`

func TestLifecycleErrors(t *testing.T) {
	answers, exit := pipe(t,
		`{"jsonrpc":"2.0","id":"early","method":"ping"}`,
		`{"jsonrpc":"2.0","id":"old","method":"initialize","params":{"protocolVersion":99}}`,
		initialize,
		`{"jsonrpc":"2.0","id":"again","method":"initialize","params":{"protocolVersion":1}}`,
		`{"jsonrpc":"2.0","id":"bad","method":"exec/run","params":{"sessionId":7}}`,
		`{"jsonrpc":"2.0","id":"run","method":"exec/run","params":{"sessionId":"s","runId":"r","input":{"code":"return 40+2"},"pool":{"status":"ok","tools":[]}}}`,
		`{"jsonrpc":"2.0","id":"none","method":"no/such"}`,
	)
	if exit != serve.ExitNoGoodbye {
		t.Errorf("exit code %d", exit)
	}
	for id, want := range map[string]string{
		`"early"`: `-32002`, `"old"`: `"supported":[1]`, `"again"`: `-31010`, `"bad"`: `"path":"$.sessionId"`, `"run"`: `"returnValue":42`,
		`"none"`: `-32601`, `0`: `"protocolVersion":1`,
	} {
		if !slices.ContainsFunc(answers, func(a string) bool { return strings.Contains(a, `"id":`+id) && strings.Contains(a, want) }) {
			t.Errorf("no answer with id %s and %s in\n%s", id, want, strings.Join(answers, "\n"))
		}
	}
}

// A machine that is short of something for a moment does not cost the connection.
func TestInitializeAgainAfterItFoundNoSandbox(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var short atomic.Bool
	short.Store(true)
	worker := func() *exec.Cmd {
		if short.Load() {
			return exec.Command(self + ".gone")
		}
		return exec.Command(self, "worker")
	}
	in, toExt := io.Pipe()
	fromExt, out := io.Pipe()
	exit := make(chan int, 1)
	go func() {
		exit <- serve.Serve(t.Context(), in, out, serve.Options{Version: "test", WorkerCommand: worker, Log: zerolog.Nop()})
		out.Close()
	}()
	answers := bufio.NewScanner(fromExt)
	ask := func(line, want string) {
		t.Helper()
		if _, err := io.WriteString(toExt, line+"\n"); err != nil || !answers.Scan() || !strings.Contains(answers.Text(), want) {
			t.Fatalf("%s: answered %s, want %s", line, answers.Text(), want)
		}
	}
	ask(initialize, `-32603`)
	ask(strings.Replace(initialize, `"processId":null`, `"processId":0`, 1), `"path":"$.processId"`)
	short.Store(false)
	ask(initialize, `"protocolVersion":1`)
	ask(initialize, `-31010`)
	ask(`{"jsonrpc":"2.0","id":1,"method":"exec/run","params":{"sessionId":"s","runId":"r","input":"return 42","pool":{"status":"ok","tools":[]}}}`, `"returnValue":42`)
	toExt.Close()
	<-exit
}

func TestProcessIDsThatNameNobody(t *testing.T) {
	for _, pid := range []string{"0", "-1", "-7", "4294967297", "1099511627776", "1.5"} {
		answers, _ := pipe(t, strings.Replace(initialize, `"processId":null`, `"processId":`+pid, 1))
		if len(answers) != 1 || !strings.Contains(answers[0], `"path":"$.processId"`) || !strings.Contains(answers[0], "-32602") {
			t.Errorf("processId %s: %q", pid, answers)
		}
	}
}

// A host's author who sees the process end finds out why.
func TestALostConnectionIsLogged(t *testing.T) {
	var log bytes.Buffer
	in := iotest.ErrReader(errors.New("disk on fire"))
	exit := serve.Serve(t.Context(), in, io.Discard, serve.Options{Log: zerolog.New(zerolog.SyncWriter(&log))})
	if exit != serve.ExitNoGoodbye || !strings.Contains(log.String(), "disk on fire") {
		t.Errorf("exit code %d, log %q", exit, log.String())
	}
}

func TestShutdownThenExit(t *testing.T) {
	answers, exit := pipe(t, initialize, `{"jsonrpc":"2.0","id":1,"method":"shutdown"}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","method":"exit"}`)
	if exit != serve.ExitOK || len(answers) != 3 {
		t.Errorf("exit code %d, answers %q", exit, answers)
	}
	if !slices.ContainsFunc(answers, func(a string) bool { return strings.Contains(a, `"id":2`) && strings.Contains(a, "-31002") }) {
		t.Errorf("work after shutdown was not refused: %q", answers)
	}
}

func TestEverythingInOneWriteIsAnswered(t *testing.T) {
	for range 20 {
		answers, exit := pipe(t, initialize, `{"jsonrpc":"2.0","id":1,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`)
		if exit != serve.ExitOK || !slices.ContainsFunc(answers, func(a string) bool { return strings.Contains(a, `"protocolVersion":1`) }) {
			t.Fatalf("exit code %d, answers %q", exit, answers)
		}
	}
}

// A run whose result nobody can read does not run; the same run as a request does.
func TestARunSentAsANotificationIsIgnored(t *testing.T) {
	const run = `"method":"exec/run","params":{"sessionId":"s","runId":"r","input":"return 42","pool":{"status":"ok","tools":[]}}}`
	var log, out bytes.Buffer
	in := strings.Join([]string{initialize, `{"jsonrpc":"2.0",` + run, `{"jsonrpc":"2.0","id":2,` + run, `{"jsonrpc":"2.0","id":3,"method":"shutdown"}`}, "\n")
	serve.Serve(t.Context(), strings.NewReader(in), &out, serve.Options{Log: zerolog.New(zerolog.SyncWriter(&log)).Level(zerolog.InfoLevel)})
	if strings.Count(out.String(), "\n") != 3 || strings.Contains(out.String(), "-31008") {
		t.Errorf("answers %s", out.String())
	}
	if n := strings.Count(log.String(), "run ended"); n != 1 {
		t.Errorf("%d runs", n)
	}
	if want := `{"level":"warn","method":"exec/run","message":"ignored a request without an id`; !strings.Contains(log.String(), want) {
		t.Errorf("the log lacks %s:\n%s", want, log.String())
	}
}

func TestLostFrameBoundary(t *testing.T) {
	var out bytes.Buffer
	exit := serve.Serve(t.Context(), strings.NewReader("Content-Length: x\r\n\r\n{}"), &out, serve.Options{Log: zerolog.Nop()})
	if exit != serve.ExitFraming || !strings.Contains(out.String(), "-32700") {
		t.Errorf("exit code %d, out %q", exit, out.String())
	}
}

func TestNoScriptNoArgumentNoResultInTheLog(t *testing.T) {
	var log bytes.Buffer
	in := strings.Join([]string{initialize,
		`{"jsonrpc":"2.0","id":1,"method":"exec/run","params":{"sessionId":"s","runId":"r","input":{"code":"console.log('SECRET1'); return 'SECRET2' // SECRET3"},"pool":{"status":"ok","tools":[]}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`}, "\n")
	serve.Serve(t.Context(), strings.NewReader(in), io.Discard, serve.Options{Version: "test", Log: zerolog.New(&log).Level(zerolog.TraceLevel)})
	if strings.Contains(log.String(), "SECRET") || !strings.Contains(log.String(), "run ended") {
		t.Errorf("log:\n%s", log.String())
	}
}
