package extkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/exec-ext/exec-ext/conformance/child"
	"github.com/exec-ext/exec-ext/conformance/match"
	"github.com/exec-ext/exec-ext/conformance/proctree"
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/rpc"
)

// A check is one vector being carried out, in one framing.
type check struct {
	ctx      context.Context
	kit      *kit
	vector   *vector
	framing  rpc.Framing
	peer     *peer
	host     *host
	vars     match.Vars
	requests map[string]started // by the name given to them
	initial  json.RawMessage    // the result of initialize
	standIn  *child.Process     // stands for the host's process, if any
	over     bool               // the connection has been ended by the steps
	below    []proctree.Process // what the process has started, as seen last
	problems []string
}

// A started request waits for its answer.
type started struct {
	id   string
	sent time.Time
}

// errFailed ends a check whose problems are noted.
var errFailed = errors.New("failed")

// fail notes a problem and ends the check.
func (c *check) fail(format string, args ...any) error {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
	return errFailed
}

// fits holds a value against a pattern. what names the value.
func (c *check) fits(what string, pattern, got json.RawMessage) error {
	differences, err := match.Match(pattern, got, c.vars)
	if err != nil {
		return c.fail("the vector is wrong: %v", err)
	}
	for _, d := range differences {
		c.problems = append(c.problems, what+": "+d.String())
	}
	if len(differences) > 0 {
		return errFailed
	}
	return nil
}

// fitsText is fits for a text.
func (c *check) fitsText(what string, pattern json.RawMessage, got string) error {
	if pattern == nil {
		return nil
	}
	raw, err := marshal(got)
	if err != nil {
		return err
	}
	return c.fits(what, pattern, raw)
}

// call sends a request and gives its result; an error that is the answer fails the check.
func (c *check) call(method string, params any) (json.RawMessage, error) {
	m, err := c.exchange(method, params)
	if err != nil {
		return nil, err
	}
	if m.Error != nil {
		return nil, c.fail("%s: want a result, got the error %s", method, m.Error)
	}
	return m.Result, nil
}

// exchange sends a request and gives its answer.
func (c *check) exchange(method string, params any) (message, error) {
	var raw json.RawMessage // absent for nil
	if params != nil {
		var err error
		if raw, err = marshal(params); err != nil {
			return message{}, err
		}
	}
	id, err := c.peer.request(method, raw, false)
	if err != nil {
		return message{}, c.fail("%s: %v", method, err)
	}
	m, err := c.peer.answer(c.ctx, id)
	if err != nil {
		return message{}, c.fail("%s: %v", method, err)
	}
	return m, nil
}

// initialize opens the connection as the setting says.
func (c *check) initialize() error {
	capabilities := c.vector.Capabilities
	if capabilities == nil {
		gate := "inFunnel"
		if c.vector.Permission != "" {
			gate = c.vector.Permission
		}
		capabilities = fmt.Appendf(nil, `{"pool":{},"callTool":{"permission":%q},"progress":true}`, gate)
	}
	params := map[string]any{
		"protocolVersion": 1, "clientInfo": map[string]string{"name": "conformance", "version": "1"},
		"processId": nil, "capabilities": capabilities,
	}
	if c.vector.Config != nil {
		params["config"] = c.vector.Config
	}
	if c.vector.Process == "child" {
		var err error
		if c.standIn, err = child.Start(c.kit.Command, io.Discard); err != nil {
			return c.fail("a process that stands for the host: %v", err)
		}
		params["processId"] = c.standIn.PID()
	}
	result, err := c.call("initialize", params)
	if err != nil {
		return err
	}
	c.initial = result
	return c.peer.notify("initialized", json.RawMessage("{}"))
}

// notify sends a notification.
func (p *peer) notify(method string, params json.RawMessage) error {
	body, err := marshal(struct {
		Version string          `json:"jsonrpc"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", method, params})
	if err != nil {
		return err
	}
	return p.send(body, false)
}

// patience is how long an extension may take to end, and what it started too.
func (c *check) patience() time.Duration { return min(20*time.Second, c.kit.Timeout) }

// end says goodbye: shutdown is answered with null, exit ends the process with 0, and nothing of it is left.
func (c *check) end() error {
	p := c.peer
	if c.over {
		return nil
	}
	c.look()
	if c.initial == nil { // never opened
		p.process.Stdin.Close()
		if !p.process.Ends(c.patience()) {
			return c.fail("the process does not end with its input")
		}
		return nil
	}
	if _, err := c.call("shutdown", nil); err != nil {
		return err
	}
	c.look()
	if err := p.notify("exit", nil); err != nil {
		return c.fail("exit: %v", err)
	}
	return c.gone(json.RawMessage("0"))
}

// look remembers the processes that the extension has started, before something that may end it.
func (c *check) look() { c.below = append(c.below, proctree.Below(c.peer.process.PID())...) }

// gone waits for the process to end with a code that fits, and for what it started to be gone too.
func (c *check) gone(code json.RawMessage) error {
	p := c.peer
	c.over = true
	c.look()
	if !p.process.Ends(c.patience()) {
		return c.fail("the process does not end")
	}
	if err := c.fits("exit code", code, fmt.Appendf(nil, "%d", p.process.Code())); err != nil {
		return err
	}
	deadline := time.Now().Add(c.patience())
	for _, d := range c.below {
		for d.Alive() {
			if time.Now().After(deadline) {
				d.Kill()
				return c.fail("process %d, which it started, is left behind", d.PID)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	return nil
}

// note takes up what no check allows: faults on the wire, and answers that nobody has asked for.
func (c *check) note() {
	faults, left := c.peer.settle()
	c.problems = append(c.problems, faults...)
	for _, m := range left {
		if m.IsAnswer() {
			c.problems = append(c.problems, "an answer is left over: "+report.Clip(m.raw))
		} else if m.IsRequest() && c.vector.Manual == nil {
			c.problems = append(c.problems, "a request is left over: "+report.Clip(m.raw))
		}
	}
}
