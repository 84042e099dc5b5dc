package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
)

// What a host says at length is not handed to the model at length.
func TestLongNamesAndReasonsAreCut(t *testing.T) {
	const most = 10_000
	long := strings.Repeat("x", 1_000_000)
	name := "mcp__srv__" + long
	call := `await tools[Object.keys(tools)[0]]({})`
	outcome := func(o hostapi.HostCallToolResult) *host { return &host{callTool: always(o)} }
	for what, h := range map[string]*host{
		"cancelled":   outcome(hostapi.HostCallToolResult{Outcome: "cancelled", Reason: long}),
		"denied":      outcome(hostapi.HostCallToolResult{Outcome: "denied", Reason: long}),
		"unreachable": outcome(hostapi.HostCallToolResult{Outcome: "unreachable", Reason: long}),
		"no outcome":  outcome(hostapi.HostCallToolResult{}),
		"image":       outcome(hostapi.HostCallToolResult{Outcome: "result", Result: []byte(`{"content":[{"type":"audio"}]}`)}),
		"error": {callTool: func(context.Context, hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error) {
			return hostapi.HostCallToolResult{}, &rpc.Error{Code: 1, Message: long}
		}},
	} {
		t.Run(what, func(t *testing.T) {
			h.snapshot = func(hostapi.HostPoolParams) (hostapi.PoolSnapshot, error) { return pool(name), nil }
			s := open(t, h)
			r := s.run(call + `; throw new Error("end")`)
			if got := modelText(t, r); len(got) > most {
				t.Errorf("the text has %d bytes: %.300s", len(got), got)
			}
			if len(r.Summary.Text) > most {
				t.Errorf("the summary has %d bytes", len(r.Summary.Text))
			}
			for _, p := range h.progress {
				if len(p.Summary.Text) > most {
					t.Errorf("the progress has %d bytes", len(p.Summary.Text))
				}
			}
		})
	}
	t.Run("no pool", func(t *testing.T) {
		s := open(t, &host{snapshot: func(hostapi.HostPoolParams) (hostapi.PoolSnapshot, error) {
			return hostapi.PoolSnapshot{Status: "unavailable", Reason: long}, nil
		}})
		if got := modelText(t, s.run(`return 1`)); len(got) > most {
			t.Errorf("the text has %d bytes", len(got))
		}
		r, err := s.ext.TurnPrepare(t.Context(), hostapi.TurnPrepareParams{SessionID: "s"})
		if err != nil || len(r.Warnings) != 1 || len(r.Warnings[0]) > most {
			t.Errorf("%d warnings, %v", len(r.Warnings), err)
		}
	})
}

// An answer that cannot be taken in says nothing about whether the tool has run.
func TestAnswerOverTheSizeLimit(t *testing.T) {
	s := open(t, &host{callTool: func(context.Context, hostapi.HostCallToolParams) (hostapi.HostCallToolResult, error) {
		return hostapi.HostCallToolResult{}, &rpc.Error{Code: rpc.CodeTooLarge, Message: "message is over the size limit"}
	}})
	wantFailure(t, s.run(`await tools.mcp__srv__fetch({})`), "code_error", "script_error", "too large", "may have taken effect")
}

func TestS8_1_WithoutAClearPermissionNothingIsCalled(t *testing.T) {
	for name, answer := range map[string]func() (hostapi.HostPermissionResult, error){
		"no decision": func() (hostapi.HostPermissionResult, error) { return hostapi.HostPermissionResult{}, nil },
		"unknown decision": func() (hostapi.HostPermissionResult, error) {
			return hostapi.HostPermissionResult{Decision: "maybe"}, nil
		},
		"no grant": func() (hostapi.HostPermissionResult, error) {
			return hostapi.HostPermissionResult{Decision: "allow"}, nil
		},
		"an rpc error": func() (hostapi.HostPermissionResult, error) {
			return hostapi.HostPermissionResult{}, &rpc.Error{Code: 1, Message: "boom"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := &host{separate: true, permission: func(context.Context, hostapi.HostPermissionParams) (hostapi.HostPermissionResult, error) {
				return answer()
			}}
			s := open(t, h)
			r := s.run(`await tools.mcp__srv__fetch({})`)
			wantFailure(t, r, "code_error", "script_error", "the call was not made")
			if len(h.called()) != 0 || strings.Contains(modelText(t, r), "may") {
				t.Errorf("calls %q\n%s", h.called(), modelText(t, r))
			}
		})
	}
}

// A loop over unknown names must not cost a look through the whole pool each time.
func TestUnknownNamesInALoop(t *testing.T) {
	s := open(t, &host{})
	r := s.run(`const seen = []; for (let i = 0; i < 200; i++) try { await tools.mcp__srv__fetsh({}) } catch (e) { seen.push(e.message) }
		return [seen.length, seen[0].includes("mcp__srv__fetch?"), seen[199].includes("mcp__srv__fetch?"), seen[199].includes("search(")]`)
	wantValue(t, r, `[200,true,false,true]`)
}

// A pool of nothing but rubbish gets a few lines, not one for each piece at every turn.
func TestWarningsOfAPoolAreBounded(t *testing.T) {
	rubbish := hostapi.PoolSnapshot{Status: "ok"}
	for range 5000 {
		rubbish.Tools = append(rubbish.Tools, json.RawMessage(`5`))
	}
	rubbish.Tools[0] = json.RawMessage(`{"name":"` + strings.Repeat("x", 1_000_000) + `"}`)
	s := open(t, &host{})
	r, err := s.ext.TurnPrepare(t.Context(), hostapi.TurnPrepareParams{SessionID: "s", Pool: &rubbish})
	if err != nil || len(r.Warnings) != 20 || r.Warnings[19] != "4981 more warnings were left out." {
		t.Fatalf("%d warnings, %v", len(r.Warnings), err)
	}
	if all := strings.Join(r.Warnings, ""); len(all) > 10_000 {
		t.Errorf("the warnings have %d bytes", len(all))
	}
}

// Self-tests stand outside the run queue, so they come one after the other.
func TestManySelfTestsAtOnce(t *testing.T) {
	s := open(t, &host{config: `{"limits":{"warmWorkers":0}}`})
	most := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if r, err := s.ext.Health(t.Context(), hostapi.HealthParams{SelfTest: true}); err != nil || len(r.Checks) == 0 {
					t.Errorf("%+v, %v", r, err)
				}
			})
		}
		all.Wait()
	}()
	for {
		select {
		case <-done:
			if most > 1 {
				t.Errorf("%d workers at once", most)
			}
			return
		default:
		}
		r, err := s.ext.Health(t.Context(), hostapi.HealthParams{})
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, r.Workers.Live)
	}
}

func TestS7_SearchErrorNamesPathAndShape(t *testing.T) {
	s := open(t, &host{})
	_, err := s.ext.CatalogSearch(t.Context(), hostapi.CatalogSearchParams{SessionID: "s", Input: json.RawMessage(`{"limit":0}`)})
	var wire *rpc.Error
	if !errors.As(err, &wire) || wire.Code != -32602 {
		t.Fatal(err)
	}
	var data struct{ Path, Expected string }
	raw, _ := wire.Data.(json.RawMessage)
	if json.Unmarshal(raw, &data) != nil || data.Path != "$.input" || !strings.Contains(data.Expected, "limit?: integer") {
		t.Errorf("data %s", raw)
	}
}

// Tools that the host sends count, whatever it says of their revision.
func TestOtherToolsUnderTheSameRevision(t *testing.T) {
	tools := []string{"mcp__srv__old"}
	s := open(t, &host{snapshot: func(hostapi.HostPoolParams) (hostapi.PoolSnapshot, error) {
		p := pool(tools...)
		p.Revision = "1"
		return p, nil
	}})
	for _, name := range []string{"mcp__srv__old", "mcp__srv__new"} {
		tools = []string{name}
		wantValue(t, s.run(`return Object.keys(tools)`), `["`+name+`"]`)
	}
}
