package refhost

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
	"github.com/rs/zerolog"
)

// openWith opens a session whose extension does one thing: on exec/run it runs body with its view of the host.
func openWith(t *testing.T, h *Host, body func(ctx context.Context, host hostapi.Host) error) *Session {
	t.Helper()
	extension := func(ctx context.Context, in io.Reader, out io.Writer) int {
		ctx, exit := context.WithCancel(ctx)
		defer exit()
		bind := func(c *rpc.Conn) rpc.Table {
			answer := func(r any) rpc.Method {
				return func(context.Context, json.RawMessage) rpc.Job {
					return func(context.Context) (any, error) { return r, nil }
				}
			}
			return rpc.Table{
				hostapi.MethodInitialize: answer(hostapi.InitializeResult{ProtocolVersion: 1}),
				hostapi.MethodShutdown:   answer(struct{}{}),
				hostapi.MethodExit: func(context.Context, json.RawMessage) rpc.Job {
					exit()
					return nil
				},
				hostapi.MethodExecRun: func(context.Context, json.RawMessage) rpc.Job {
					return func(ctx context.Context) (any, error) {
						return hostapi.ExecResult{}, body(ctx, hostapi.NewHost(c))
					}
				},
			}
		}
		if err := rpc.Serve(ctx, in, out, rpc.Options{Log: zerolog.Nop()}, bind); err != nil {
			t.Error(err)
		}
		return 0
	}
	s, err := Open(t.Context(), extension, h, SessionOptions{Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runBody opens a session, runs body in it once, and closes it.
func runBody(t *testing.T, h *Host, body func(ctx context.Context, host hostapi.Host)) {
	t.Helper()
	s := openWith(t, h, func(ctx context.Context, host hostapi.Host) error {
		body(ctx, host)
		return nil
	})
	if _, err := s.ExecRun(t.Context(), hostapi.ExecRunParams{}); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestS2_7_PoolAnswersUnchangedOnItsOwnRevision(t *testing.T) {
	hub, _ := connectAll(t, HubOptions{}, stdioServer(t, "everyday"))
	h := &Host{Hub: hub, Gate: NewGate(GateOptions{Deny: rules(t, "mcp__x__*")})}
	runBody(t, h, func(ctx context.Context, host hostapi.Host) {
		first, err := host.Pool(ctx, hostapi.HostPoolParams{Purpose: "run"})
		if err != nil || first.Status != "ok" || len(first.Tools) != 2 || len(first.Deny) != 1 {
			t.Errorf("%+v, %v", first, err)
		}
		second, err := host.Pool(ctx, hostapi.HostPoolParams{Purpose: "run", IfRevision: first.Revision})
		if err != nil || second.Status != "unchanged" || second.Tools != nil {
			t.Errorf("%+v, %v", second, err)
		}
	})
}

func TestE3_WithoutServersThePoolIsUnavailable(t *testing.T) {
	runBody(t, &Host{Gate: NewGate(GateOptions{})}, func(ctx context.Context, host hostapi.Host) {
		got, err := host.Pool(ctx, hostapi.HostPoolParams{})
		if err != nil || got.Status != "unavailable" || got.Reason == "" {
			t.Errorf("%+v, %v", got, err)
		}
		call, err := host.CallTool(ctx, hostapi.HostCallToolParams{Name: "mcp__a__b"})
		if err != nil || call.Outcome != "denied" {
			t.Errorf("%+v, %v", call, err)
		}
	})
}

func TestS8_3_FunnelGivesOutcomes(t *testing.T) {
	hub, _ := connectAll(t, HubOptions{}, stdioServer(t, "everyday"))
	h := &Host{Hub: hub, Gate: NewGate(GateOptions{Allow: rules(t, "mcp__raw__odd", "mcp__gone__*")})}
	runBody(t, h, func(ctx context.Context, host hostapi.Host) {
		for name, want := range map[string]hostapi.HostCallToolResult{
			"mcp__raw__odd":      {Outcome: "result"},
			"mcp__raw__page-two": {Outcome: "denied", By: "host", Reason: "No rule allows mcp__raw__page-two"},
			"mcp__gone__x":       {Outcome: "unreachable", Reason: "mcp__gone__x is not there any more"},
		} {
			got, err := host.CallTool(ctx, hostapi.HostCallToolParams{Name: name, Arguments: json.RawMessage(`{}`)})
			if err != nil || got.Outcome != want.Outcome || got.By != want.By || !strings.HasPrefix(got.Reason, want.Reason) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
	})
}

func TestS8_1_SeparateModeGrantsAreForOneCallWithThoseBytes(t *testing.T) {
	hub, _ := connectAll(t, HubOptions{}, stdioServer(t, "everyday"))
	h := &Host{Hub: hub, Permission: PermissionSeparate, Gate: NewGate(GateOptions{Allow: rules(t, "mcp__raw__odd")})}
	ask := hostapi.HostPermissionParams{SessionID: "s", RunID: "r", CallID: "c", Index: 1, Name: "mcp__raw__odd", Arguments: json.RawMessage(`{"a":1}`)}
	call := func(change func(*hostapi.HostCallToolParams), grant string) hostapi.HostCallToolParams {
		p := hostapi.HostCallToolParams{SessionID: "s", RunID: "r", CallID: "c", Index: 1, Name: ask.Name, Arguments: ask.Arguments, Grant: grant}
		change(&p)
		return p
	}
	same := func(*hostapi.HostCallToolParams) {}
	runBody(t, h, func(ctx context.Context, host hostapi.Host) {
		outcome := func(p hostapi.HostCallToolParams) string {
			got, err := host.CallTool(ctx, p)
			if err != nil {
				t.Error(err)
			}
			return got.Outcome
		}
		grant := func() string {
			got, err := host.Permission(ctx, ask)
			if err != nil || got.Decision != "allow" || got.Grant == "" {
				t.Errorf("%+v, %v", got, err)
			}
			return got.Grant
		}
		g := grant()
		if got := outcome(call(same, g)); got != "result" {
			t.Errorf("with its grant: %s", got)
		}
		if got := outcome(call(same, g)); got != "denied" {
			t.Errorf("a grant used twice: %s", got)
		}
		if got := outcome(call(same, "")); got != "denied" {
			t.Errorf("no grant: %s", got)
		}
		for what, change := range map[string]func(*hostapi.HostCallToolParams){
			"other bytes":   func(p *hostapi.HostCallToolParams) { p.Arguments = json.RawMessage(`{"a":1.0}`) },
			"other call":    func(p *hostapi.HostCallToolParams) { p.CallID = "d" },
			"other tool":    func(p *hostapi.HostCallToolParams) { p.Name = "mcp__raw__page-two" },
			"other session": func(p *hostapi.HostCallToolParams) { p.SessionID = "t" },
		} {
			if got := outcome(call(change, grant())); got != "denied" {
				t.Errorf("%s: %s", what, got)
			}
		}
		ask.Name = "mcp__raw__page-two"
		if got, err := host.Permission(ctx, ask); err != nil || got.Decision != "deny" || got.Reason == "" {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
