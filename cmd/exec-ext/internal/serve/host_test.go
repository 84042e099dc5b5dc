package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/serve"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
	"github.com/exec-ext/exec-ext/sandbox/worker"
)

// The test binary is the worker too, as the program is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		os.Exit(worker.Main())
	}
	os.Exit(m.Run())
}

// A host answers the extension's requests; nil fields have friendly defaults.
type host struct {
	snapshot   func(hostapi.HostPoolParams) (hostapi.PoolSnapshot, error)
	callTool   func(context.Context, hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error)
	permission func(context.Context, hostapi.HostPermissionParams) (hostapi.HostPermissionResult, error)
	separate   bool   // permission mode
	mute       bool   // no callTool capability
	noPool     bool   // no pool capability
	config     string // initialize.config
	maxBytes   int64  // capability maxMessageBytes

	mu       sync.Mutex
	calls    []hostapi.HostCallToolParams   // guarded by mu
	progress []hostapi.ExecProgressParams   // guarded by mu
	pools    []hostapi.HostPoolParams       // guarded by mu
	asked    []hostapi.HostPermissionParams // guarded by mu
}

// A session is an open connection to a served extension.
type session struct {
	t    *testing.T
	host *host
	conn *rpc.Conn
	ext  hostapi.Extension
	init hostapi.InitializeResult
	end  func() int // hangs up without goodbye, and gives the exit code
	runs atomic.Int64
}

// open serves an extension over a pipe and initializes it.
func open(t *testing.T, h *host) *session {
	t.Helper()
	toExt, fromHost := io.Pipe()
	toHost, fromExt := io.Pipe()
	exit := make(chan int, 1)
	go func() {
		code := serve.Serve(context.Background(), toExt, fromExt, serve.Options{Version: "test", Log: zerolog.Nop()})
		fromExt.Close()
		exit <- code
	}()
	ready := make(chan *rpc.Conn, 1)
	hostDone := make(chan struct{})
	go func() {
		defer close(hostDone)
		_ = rpc.Serve(context.Background(), toHost, fromHost, rpc.Options{Framing: rpc.FramingContentLength, Log: zerolog.Nop()},
			func(c *rpc.Conn) rpc.Table { ready <- c; return h.table() })
	}()
	s := &session{t: t, host: h, conn: <-ready}
	s.ext = hostapi.NewExtension(s.conn)
	var once sync.Once
	code := 0
	s.end = func() int {
		once.Do(func() {
			fromHost.Close()
			code = <-exit
			<-hostDone
		})
		return code
	}
	t.Cleanup(func() { s.end() })
	params := hostapi.InitializeParams{ProtocolVersion: 1, ClientInfo: hostapi.Implementation{Name: "test", Version: "1"}}
	params.Capabilities.Progress = true
	params.Capabilities.MaxMessageBytes = h.maxBytes
	if !h.noPool {
		params.Capabilities.Pool = &struct{}{}
	}
	if !h.mute {
		params.Capabilities.CallTool = &hostapi.CallToolCapability{}
		if h.separate {
			params.Capabilities.CallTool.Permission = "separate"
		}
	}
	if h.config != "" {
		params.Config = json.RawMessage(h.config)
	}
	var err error
	if s.init, err = s.ext.Initialize(t.Context(), params); err != nil {
		t.Fatalf("initialize: %v", err)
	}
	return s
}

func (h *host) table() rpc.Table {
	return rpc.Table{
		hostapi.MethodHostPool: serveMethod(func(_ context.Context, p hostapi.HostPoolParams) (any, error) {
			h.mu.Lock()
			h.pools = append(h.pools, p)
			h.mu.Unlock()
			if h.snapshot == nil {
				return pool("mcp__srv__fetch", "mcp__srv__store"), nil
			}
			return h.snapshot(p)
		}),
		hostapi.MethodHostCallTool: serveMethod(func(ctx context.Context, p hostapi.HostCallToolParams) (any, error) {
			h.mu.Lock()
			h.calls = append(h.calls, p)
			h.mu.Unlock()
			if h.callTool == nil {
				return structured(`{"args":` + string(p.Arguments) + `}`), nil
			}
			return h.callTool(ctx, p)
		}),
		hostapi.MethodHostPermission: serveMethod(func(ctx context.Context, p hostapi.HostPermissionParams) (any, error) {
			h.mu.Lock()
			h.asked = append(h.asked, p)
			h.mu.Unlock()
			return h.permission(ctx, p)
		}),
		hostapi.MethodExecProgress: func(_ context.Context, raw json.RawMessage) rpc.Job {
			var p hostapi.ExecProgressParams
			if hostapi.Decode(raw, &p) == nil {
				h.mu.Lock()
				h.progress = append(h.progress, p)
				h.mu.Unlock()
			}
			return nil
		},
	}
}

func serveMethod[P any](f func(context.Context, P) (any, error)) rpc.Method {
	return func(_ context.Context, raw json.RawMessage) rpc.Job {
		var p P
		if err := hostapi.Decode(raw, &p); err != nil {
			return func(context.Context) (any, error) { return nil, err }
		}
		return func(ctx context.Context) (any, error) { return f(ctx, p) }
	}
}

// called lists the tools that the host really ran, with their argument bytes.
func (h *host) called() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for _, c := range h.calls {
		out = append(out, c.Name+" "+string(c.Arguments))
	}
	return out
}

// pool is a snapshot of tools without schemas.
func pool(names ...string) hostapi.PoolSnapshot {
	s := hostapi.PoolSnapshot{Status: "ok"}
	for _, n := range names {
		s.Tools = append(s.Tools, json.RawMessage(fmt.Sprintf(`{"name":%q,"description":"does %s","inputSchema":{"type":"object"}}`, n, n)))
	}
	return s
}

func structured(raw string) hostapi.HostCallToolResult {
	return hostapi.HostCallToolResult{Outcome: "result", Result: json.RawMessage(`{"content":[],"structuredContent":` + raw + `}`)}
}

func text(s string) hostapi.HostCallToolResult {
	b, _ := json.Marshal(s)
	return hostapi.HostCallToolResult{Outcome: "result", Result: json.RawMessage(`{"content":[{"type":"text","text":` + string(b) + `}]}`)}
}

// always answers every call alike.
func always(r hostapi.HostCallToolResult) func(context.Context, hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error) {
	return func(context.Context, hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error) { return r, nil }
}

// run runs a script in the session "s".
func (s *session) run(code string) hostapi.ExecResult {
	s.t.Helper()
	input, _ := json.Marshal(map[string]string{"code": code})
	return s.exec(hostapi.ExecRunParams{Input: input})
}

func (s *session) exec(p hostapi.ExecRunParams) hostapi.ExecResult {
	s.t.Helper()
	if p.SessionID == "" {
		p.SessionID = "s"
	}
	if p.RunID == "" {
		p.RunID = fmt.Sprintf("run-%d", s.runs.Add(1))
	}
	r, err := s.ext.ExecRun(s.t.Context(), p)
	if err != nil {
		s.t.Fatalf("exec/run: %v", err)
	}
	if r.IsError != (r.Status != "completed") || r.IsError != (r.ErrorKind != "") || r.IsError != (r.Error != nil) {
		s.t.Errorf("status %q, isError %v, errorKind %q, error %v do not agree", r.Status, r.IsError, r.ErrorKind, r.Error)
	}
	return r
}

// modelText is the text block of a result.
func modelText(t *testing.T, r hostapi.ExecResult) string {
	t.Helper()
	var block struct{ Type, Text string }
	if len(r.Content) == 0 || json.Unmarshal(r.Content[0], &block) != nil || block.Type != "text" || block.Text == "" {
		t.Fatalf("the first content block is no text: %s", r.Content)
	}
	return block.Text
}

// wantValue holds the return value against JSON text, byte for byte.
func wantValue(t *testing.T, r hostapi.ExecResult, want string) {
	t.Helper()
	if r.Status != "completed" || string(r.ReturnValue) != want {
		t.Errorf("status %s, value %s, want %s\n%s", r.Status, r.ReturnValue, want, modelText(t, r))
	}
}

// wantFailure holds status, kind and the model's text.
func wantFailure(t *testing.T, r hostapi.ExecResult, status, kind string, contains ...string) {
	t.Helper()
	if r.Status != status || r.ErrorKind != kind {
		t.Errorf("status %s, errorKind %s, want %s, %s\n%s", r.Status, r.ErrorKind, status, kind, modelText(t, r))
	}
	for _, c := range contains {
		if !strings.Contains(modelText(t, r), c) {
			t.Errorf("the text lacks %q:\n%s", c, modelText(t, r))
		}
	}
}
