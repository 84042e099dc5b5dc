package extkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/exec-ext/exec-ext/conformance/match"
	"github.com/exec-ext/exec-ext/conformance/report"
)

// steps carries out the steps of a vector, up to the first that fails.
func (c *check) steps() error {
	for i := range c.vector.Steps {
		s := &c.vector.Steps[i]
		action, err := s.action()
		if err == nil {
			err = c.step(action, s)
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, errFailed) {
			err = c.fail("%v", err)
		}
		c.problems = append(c.problems, fmt.Sprintf("at step %d, %s", i+1, action))
		return err
	}
	return nil
}

func (c *check) step(action string, s *step) error {
	switch action {
	case "call", "start":
		return c.startStep(s)
	case "finish":
		return c.finishStep(s, c.requests[s.Finish])
	case "notify":
		c.look()
		return c.peer.notify(s.Notify, c.vars.Fill(s.Params))
	case "send":
		return c.peer.send(c.vars.Fill(s.Send), s.Invalid)
	case "sendText":
		return c.peer.send(c.vars.Fill(json.RawMessage(*s.SendText)), s.Invalid)
	case "write":
		return c.writeStep(s)
	case "expect":
		return c.expectStep(s.Expect)
	case "several":
		for _, pattern := range s.Several {
			if err := c.expectStep(pattern); err != nil {
				return err
			}
		}
		return nil
	case "none":
		return c.noneStep(s.None, s.WithinMs)
	case "maybe":
		c.find(s.Maybe, 0)
	}
	return c.worldStep(action, s)
}

// worldStep is a step about the world around the messages.
func (c *check) worldStep(action string, s *step) error {
	switch action {
	case "calls":
		return c.calls(*s.Calls)
	case "stderr":
		return c.stderrStep(s.Stderr)
	case "pause":
		time.Sleep(time.Duration(s.PauseMs) * time.Millisecond)
	case "hold":
		c.peer.gate.hold(*s.Hold)
	case "close":
		c.look()
		return c.peer.process.Stdin.Close()
	case "hostDies":
		c.look()
		if c.standIn == nil {
			return c.fail("the vector is wrong: no process stands for the host")
		}
		c.standIn.Kill()
	case "exit":
		return c.gone(s.Exit)
	}
	return nil
}

func (c *check) startStep(s *step) error {
	params := c.vars.Fill(s.Params)
	if s.ParamsText != "" {
		params = json.RawMessage(s.ParamsText)
	}
	method := s.Call + s.Start
	id, err := c.peer.request(method, params, s.Invalid)
	if err != nil {
		return c.fail("%s: %v", method, err)
	}
	r := started{id, time.Now()}
	if s.As != "" {
		c.requests[s.As] = r
		c.vars[s.As] = json.RawMessage(id)
	}
	if s.Start != "" {
		return nil
	}
	return c.finishStep(s, r)
}

// finishStep waits for an answer and holds it against the pattern of a result or of an error.
func (c *check) finishStep(s *step, r started) error {
	if r.id == "" {
		return c.fail("the vector is wrong: no request is called %s", s.Finish)
	}
	m, err := c.peer.answer(c.ctx, r.id)
	if err != nil {
		return c.fail("%v", err)
	}
	if took := m.at.Sub(r.sent); s.WithinMs > 0 && took > time.Duration(s.WithinMs)*time.Millisecond {
		return c.fail("the answer took %d ms, more than %d", took.Milliseconds(), s.WithinMs)
	}
	switch {
	case s.Error != nil && m.Error == nil:
		return c.fail("want an error, got the result %s", report.Clip(m.Result))
	case s.Error != nil:
		return c.fits("error", s.Error, m.Error)
	case m.Error != nil:
		return c.fail("want a result, got the error %s", m.Error)
	case s.Result != nil:
		return c.fits("result", s.Result, m.Result)
	}
	return nil
}

// writeStep sends bytes that the schemas know nothing of, in pieces of the size given.
func (c *check) writeStep(s *step) error {
	c.peer.talk.Loosen()
	var all []byte
	for _, p := range s.Write {
		b, err := p.Bytes(c.peer.frame)
		if err != nil {
			return c.fail("the vector is wrong: %v", err)
		}
		all = append(all, b...)
	}
	size := len(all)
	if s.Every > 0 {
		size = s.Every
	}
	for len(all) > 0 {
		n := min(size, len(all))
		if err := c.peer.write(all[:n]); err != nil {
			if c.lost() { // the steps that follow expect the end
				return nil
			}
			return err
		}
		all = all[n:]
	}
	return nil
}

// lost says whether the extension ends, or has ended, by itself.
func (c *check) lost() bool { return c.peer.process.Ends(c.patience()) }

func (c *check) expectStep(pattern json.RawMessage) error {
	var wrong error
	var nearest []match.Difference
	m, err := c.peer.wait(c.ctx, func(m message) bool {
		vars := match.Vars{}
		for k, v := range c.vars {
			vars[k] = v
		}
		differences, err := match.Match(pattern, m.raw, vars)
		if err != nil {
			wrong = err
			return true
		}
		if len(differences) > 0 && (nearest == nil || len(differences) < len(nearest)) {
			nearest = differences
		}
		return len(differences) == 0
	})
	switch {
	case wrong != nil:
		return c.fail("the vector is wrong: %v", wrong)
	case err != nil:
		_ = c.fail("no message fits %s: %v", report.Clip(pattern), err)
		for _, d := range nearest {
			c.problems = append(c.problems, "the nearest: "+d.String())
		}
		return errFailed
	}
	return c.fits("message", pattern, m.raw)
}

// noneStep watches that no message fits, for the time given.
func (c *check) noneStep(pattern json.RawMessage, ms int64) error {
	if m, came := c.find(pattern, ms); came {
		return c.fail("a message that must not come: %s", report.Clip(m.raw))
	}
	return nil
}

// find takes a message that fits and is there, or comes in the time given.
func (c *check) find(pattern json.RawMessage, ms int64) (message, bool) {
	ctx, cancel := context.WithTimeout(c.ctx, time.Duration(ms)*time.Millisecond)
	defer cancel()
	m, err := c.peer.wait(ctx, func(m message) bool {
		differences, err := match.Match(pattern, m.raw, match.Vars{})
		return err == nil && len(differences) == 0
	})
	return m, err == nil
}

// calls compares the nested calls that reached the host so far, by name and bytes of the arguments.
func (c *check) calls(want []string) error {
	if diff := cmp.Diff(want, c.host.ledger()); diff != "" {
		return c.fail("the calls that reached the host differ (- wanted, + came):\n%s", diff)
	}
	return nil
}

// stderrStep waits until stderr fits, for it has no order with the messages.
func (c *check) stderrStep(pattern json.RawMessage) error {
	deadline := time.Now().Add(c.patience())
	for {
		raw, err := marshal(c.peer.stderr.String())
		if err != nil {
			return err
		}
		differences, err := match.Match(pattern, raw, match.Vars{})
		if err == nil && len(differences) == 0 {
			return nil
		}
		if err != nil || time.Now().After(deadline) {
			return c.fits("stderr", pattern, raw)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
