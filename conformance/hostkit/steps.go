package hostkit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/exec-ext/exec-ext/conformance/match"
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/hostapi"
)

// patience is how long a step waits if it says nothing else: as long as an adapter may take for an order.
const patience = 30 * time.Second

// otherWay is how much later an event may come than a message of the extension that was sent after it.
const otherWay = 5 * time.Second

// step does one step. An error is errFailed, errSkip, or about the kit.
func (c *check) step(s *step) error {
	action, err := s.action()
	if err != nil {
		return err
	}
	within := patience
	if s.WithinMs > 0 {
		within = time.Duration(s.WithinMs) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(c.ctx, within)
	defer cancel()
	return map[string]func(context.Context, *step) error{
		"order": c.order, "event": c.event, "called": c.leaves, "asked": c.leaves, "aborted": c.leaves,
		"begin": c.begin, "take": c.take, "answer": c.answer, "ask": c.ask, "call": c.call, "permit": c.permit,
		"reply": c.reply, "notify": c.notify, "write": c.write, "exit": c.exit, "stop": c.stopNow, "pause": c.pause,
	}[action](ctx, s)
}

func (c *check) order(_ context.Context, s *step) error {
	if err := c.adapter.order(fill(s.Order, c.vars)); err != nil {
		return c.fail("order %s: %v", s.Order, err)
	}
	return nil
}

// event waits for an event of that name, and of that run if the pattern has one, and holds it against the pattern.
func (c *check) event(ctx context.Context, s *step) error {
	var want struct{ Event, Run string }
	if err := json.Unmarshal(s.Event, &want); err != nil || want.Event == "" {
		return fmt.Errorf("event %s has no name", s.Event)
	}
	e, err := c.adapter.events.take(ctx, func(e event) bool {
		return e.Name == want.Event && (want.Run == "" || e.Run == want.Run)
	})
	if err != nil {
		return c.fail("no event %s %s: %v", want.Event, want.Run, err)
	}
	return c.fits("the event "+want.Event, s.Event, e.raw)
}

// leaves holds the leaves of events against those wanted, now and again when the host has stopped and all its events
// are here, if no later step wants others.
func (c *check) leaves(ctx context.Context, s *step) error {
	for event, want := range map[string]*[]string{"called": s.Called, "asked": s.Asked, "aborted": s.Aborted} {
		if want != nil {
			c.final[event] = *want
			return c.names(ctx, event, *want)
		}
	}
	return nil
}

// names compares the leaves of such events. Events and the extension's messages come by different ways: an answer may be
// here before the event that was told first, so what is still missing is waited for a little.
func (c *check) names(ctx context.Context, name string, want []string) error {
	var got []string
	ctx, cancel := context.WithTimeout(ctx, otherWay)
	defer cancel()
	c.adapter.events.until(ctx, func(all []event) bool {
		got = []string{}
		for _, e := range all {
			if e.Name == name {
				var leaf struct{ Name string }
				_ = json.Unmarshal(e.raw, &leaf) // an event without a name is one of ""
				got = append(got, leaf.Name)
			}
		}
		return len(got) >= len(want)
	})
	if !slices.Equal(got, want) {
		return c.fail("leaves %s: want %q, got %q", name, want, got)
	}
	return nil
}

// take waits for a message of the host's. A run's ids are bound to sessionId and runId.
func (c *check) take(ctx context.Context, s *step) error {
	methods := strings.Split(s.Take, "|")
	m, err := c.ext.inbox.take(ctx, func(m message) bool { return slices.Contains(methods, m.Method) })
	if err != nil {
		return c.fail("no %s from the host: %v", s.Take, err)
	}
	c.taken[s.As] = m
	if s.Take == hostapi.MethodExecRun {
		c.vars["sessionId"], c.vars["runId"] = memberOf(m.Params, "sessionId"), runOf(m.Params)
	}
	if s.Params == nil {
		return nil
	}
	return c.fits("params of "+s.Take, s.Params, m.Params)
}

func runOf(params json.RawMessage) json.RawMessage { return memberOf(params, "runId") }

// memberOf gives a member that is a text; "" if there is none, of which the schema has complained.
func memberOf(params json.RawMessage, name string) json.RawMessage {
	var p map[string]json.RawMessage
	if json.Unmarshal(params, &p) != nil || len(p[name]) == 0 || p[name][0] != '"' {
		return json.RawMessage(`""`)
	}
	return p[name]
}

func (c *check) answer(_ context.Context, s *step) error {
	m, ok := c.taken[s.Answer]
	if !ok {
		return fmt.Errorf("nothing was taken as %s", s.Answer)
	}
	member, value := "result", fill(s.Result, c.vars)
	var err error
	switch {
	case s.Text != nil:
		value, err = runResult(runOf(m.Params), hostapi.StatusCompleted, strings.Repeat(*s.Text, max(1, s.Times)))
	case s.Failure != "":
		value, err = runResult(runOf(m.Params), s.Failure, "it went wrong")
	case s.Result == nil && s.Error == nil:
		value = standardAnswer(m.Method)
	case s.Error != nil:
		member, value = "error", s.Error
	}
	if err != nil {
		return err
	}
	c.ext.send(reply(m.ID, member, value))
	return nil
}

func (c *check) ask(_ context.Context, s *step) error {
	id := c.ext.request(s.Ask, fill(s.Params, c.vars))
	c.asked[s.As], c.vars["id "+s.As] = id, json.RawMessage(id)
	return nil
}

// reply waits for the host's answer and holds it against the patterns. A pool's revision is bound to revision.
func (c *check) reply(ctx context.Context, s *step) error {
	id, ok := c.asked[s.Reply]
	if !ok {
		return fmt.Errorf("nothing was asked as %s", s.Reply)
	}
	m, err := c.ext.inbox.take(ctx, func(m message) bool { return m.IsAnswer() && string(m.ID) == id })
	c.bindRevision(m.Result)
	switch {
	case err != nil:
		return c.fail("no answer to %s: %v", s.Reply, err)
	case s.Refused && m.Error == nil:
		return c.fits("the answer to "+s.Reply, json.RawMessage(refusal), m.Result)
	case s.Refused:
		return nil
	case s.Error != nil && m.Error == nil:
		return c.fail("the answer to %s: want an error, got %s", s.Reply, report.Clip(m.raw))
	case s.Error != nil:
		return c.fits("the error for "+s.Reply, s.Error, m.Error)
	case m.Error != nil && s.Result != nil:
		return c.fail("the answer to %s: want a result, got the error %s", s.Reply, m.Error)
	case s.Result != nil:
		return c.fits("the answer to "+s.Reply, s.Result, m.Result)
	}
	return nil
}

// bindRevision binds what a pool snapshot has as its revision; one without has nothing that can be unchanged.
func (c *check) bindRevision(result json.RawMessage) {
	var pool hostapi.PoolSnapshot
	if json.Unmarshal(result, &pool) != nil || pool.Status == "" {
		return
	}
	if quoted, err := json.Marshal(pool.Revision); err == nil {
		c.vars["revision"] = quoted
	}
}

// refusal is what the results of host/callTool and host/permission have in common that refuse.
const refusal = `{"$oneOf": [{"outcome": {"$oneOf": ["denied", "unreachable"]}, "reason": {"$type": "string"}},
	{"decision": "deny", "reason": {"$type": "string"}}]}`

func (c *check) notify(_ context.Context, s *step) error {
	c.ext.notify(s.Notify, fill(s.Params, c.vars), max(1, s.Times))
	return nil
}

// write sends bytes that cannot be followed; what the host answers to them is let through.
func (c *check) write(_ context.Context, s *step) error {
	c.ext.talk.Loosen()
	for _, p := range s.Write {
		b, err := p.Once(c.ext.frame)
		if err != nil {
			return err
		}
		c.ext.write(b, max(1, p.Times))
	}
	return nil
}

func (c *check) exit(ctx context.Context, s *step) error {
	select {
	case <-c.ext.up:
	case <-ctx.Done():
		return c.fail("the host has not started its extension")
	}
	c.ext.exit(*s.Exit)
	select {
	case <-c.ext.gone:
	case <-time.After(goodbye):
		return fmt.Errorf("the fake extension does not end")
	}
	return nil
}

func (c *check) stopNow(context.Context, *step) error { return c.stop() }

func (c *check) pause(ctx context.Context, s *step) error {
	select {
	case <-time.After(time.Duration(s.PauseMs) * time.Millisecond):
	case <-ctx.Done():
	}
	return nil
}

// fits holds a value against a pattern. what names the value.
func (c *check) fits(what string, pattern, got json.RawMessage) error {
	differences, err := match.Match(pattern, got, c.vars)
	if err != nil {
		return fmt.Errorf("the vector: %w", err)
	}
	for _, d := range differences {
		c.blame(what + ": " + d.String())
	}
	if len(differences) > 0 {
		return errFailed
	}
	return nil
}
