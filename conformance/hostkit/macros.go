package hostkit

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/exec-ext/exec-ext/hostapi"
)

// begin lets the host run a script and brings the run to where its script begins: exec/run is taken as "run", and the
// pool is asked for as an extension does at the start of a run, if the host serves it.
func (c *check) begin(ctx context.Context, s *step) error {
	label, err := json.Marshal(s.Begin)
	if err != nil {
		return err
	}
	order := fmt.Appendf(nil, `{"op":"run","session":"s1","run":%s,"code":"return 1"}`, label)
	if err := c.order(ctx, &step{Order: order}); err != nil {
		return err
	}
	if err := c.take(ctx, &step{Take: hostapi.MethodExecRun, As: "run"}); err != nil {
		return err
	}
	if !c.ext.serves("pool") {
		return nil
	}
	params := json.RawMessage(`{"sessionId":{"$ref":"sessionId"},"purpose":"run"}`)
	if err := c.ask(ctx, &step{Ask: hostapi.MethodHostPool, As: "begin", Params: params}); err != nil {
		return err
	}
	return c.reply(ctx, &step{Reply: "begin", Result: json.RawMessage(`{"status":"ok"}`)})
}

// call asks for a leaf to be executed.
func (c *check) call(ctx context.Context, s *step) error {
	p := c.leaf(s.Call, s)
	p["timeLeftMs"] = json.RawMessage("60000")
	if s.Grant != nil {
		p["grant"] = fill(s.Grant, c.vars)
	}
	return c.askWith(ctx, hostapi.MethodHostCallTool, s.As, p)
}

// permit asks for a grant.
func (c *check) permit(ctx context.Context, s *step) error {
	return c.askWith(ctx, hostapi.MethodHostPermission, s.As, c.leaf(s.Permit, s))
}

// leaf is what both name a call by.
func (c *check) leaf(name string, s *step) map[string]json.RawMessage {
	callID := s.CallID
	if callID == "" {
		callID = "call-1"
	}
	arguments := s.Arguments
	if arguments == nil {
		arguments = json.RawMessage("{}")
	}
	return map[string]json.RawMessage{
		"sessionId": c.vars["sessionId"], "runId": c.vars["runId"], "callId": fmt.Appendf(nil, "%q", callID),
		"index": fmt.Appendf(nil, "%d", max(1, s.Index)), "name": fmt.Appendf(nil, "%q", name), "arguments": arguments,
	}
}

func (c *check) askWith(ctx context.Context, method, as string, params map[string]json.RawMessage) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.ask(ctx, &step{Ask: method, As: as, Params: raw})
}
