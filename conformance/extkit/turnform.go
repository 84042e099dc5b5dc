package extkit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/hostapi"
)

// A turn is one request to the model in a conversation: what happened before it, and what turn/prepare must say.
type turn struct {
	Tools   []json.RawMessage `json:"tools"` // absent: as in the turn before
	Deny    []string          `json:"deny"`
	NoPool  bool              `json:"noPool"` // the pool is unavailable
	Exec    string            `json:"exec"`
	Channel string            `json:"channel"`
	Config  json.RawMessage   `json:"config"`  // a patch of the configuration, first
	Forget  json.RawMessage   `json:"forget"`  // "all", or the numbers of our messages that leave the history, from 0
	Say     []string          `json:"say"`     // other meta texts that join the history
	Restart bool              `json:"restart"` // the extension is another process from here on

	Expect json.RawMessage `json:"expect"` // pattern of the result of turn/prepare
	Text   json.RawMessage `json:"text"`   // pattern of the message's text without the marker line
}

// A conversation is the history that a host keeps, and what it knows besides.
type conversation struct {
	markers bool // only the marker lines are kept
	history []string
	ours    []int // indexes into history
	tools   []json.RawMessage
}

// conversations plays the turns twice: with whole messages kept in the history, and with their last lines alone.
func (c *check) conversations() error {
	for i, markers := range []bool{false, true} {
		if i > 0 {
			if err := c.restart(); err != nil {
				return err
			}
		}
		talk := &conversation{markers: markers, history: []string{}}
		for n := range c.vector.Turns {
			if err := c.turn(talk, &c.vector.Turns[n], fmt.Sprintf("%s-%v", c.session(), markers)); err != nil {
				kept := "whole messages"
				if markers {
					kept = "marker lines"
				}
				c.problems = append(c.problems, fmt.Sprintf("at turn %d, with %s in the history", n+1, kept))
				return err
			}
		}
	}
	return nil
}

func (c *check) turn(talk *conversation, t *turn, session string) error {
	if t.Restart {
		if err := c.restart(); err != nil {
			return err
		}
	}
	if t.Config != nil {
		if _, err := c.call(hostapi.MethodConfigUpdate, map[string]any{"patch": t.Config}); err != nil {
			return err
		}
	}
	if err := talk.forget(t.Forget); err != nil {
		return c.fail("the vector is wrong: %v", err)
	}
	talk.history = append(talk.history, t.Say...)
	if t.Tools != nil {
		talk.tools = t.Tools
	}
	pool, err := snapshot(talk.tools, t.Deny)
	if err != nil {
		return err
	}
	if t.NoPool {
		pool = json.RawMessage(`{"status":"unavailable","reason":"not ready"}`)
	}
	params := map[string]any{"sessionId": session, "pool": pool}
	if t.Channel != "absent" {
		params["history"] = talk.history
	}
	if t.Channel != "" {
		params["channel"] = t.Channel
	}
	if t.Exec != "" {
		params["exec"] = t.Exec
	}
	raw, err := c.call(hostapi.MethodTurnPrepare, params)
	if err != nil {
		return err
	}
	return c.holdTurn(talk, t, raw)
}

// holdTurn holds an answer against the turn and takes its message into the history.
func (c *check) holdTurn(talk *conversation, t *turn, raw json.RawMessage) error {
	if err := c.fits("result", t.Expect, raw); err != nil {
		return err
	}
	var r hostapi.TurnPrepareResult
	if err := json.Unmarshal(raw, &r); err != nil {
		return c.fail("turn/prepare: %v", err)
	}
	if (r.Announcement.Action == "append") != (r.Announcement.Message != nil && r.Announcement.Marker != nil) {
		return c.fail("action %s does not go with its message and marker", r.Announcement.Action)
	}
	if r.Announcement.Message == nil {
		return nil
	}
	body, line, err := cutMarker(r.Announcement.Message.Text)
	if err != nil {
		return c.fail("%v", err)
	}
	want, err := marshal(r.Announcement.Marker)
	if err != nil {
		return err
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(line, "<!-- mcp-catalog "), " -->")
	if strings.ContainsAny(inner, "<>") {
		return c.fail("the marker line holds < or >: %s", line)
	}
	if err := c.fits("marker line", want, json.RawMessage(inner)); err != nil {
		return err
	}
	if err := c.fitsText("text", t.Text, body); err != nil {
		return err
	}
	kept := r.Announcement.Message.Text
	if talk.markers {
		kept = line
	}
	talk.ours = append(talk.ours, len(talk.history))
	talk.history = append(talk.history, kept)
	return nil
}

// cutMarker parts a message from its last line, the marker.
func cutMarker(message string) (body, line string, err error) {
	at := strings.LastIndexByte(message, '\n')
	line = message[at+1:]
	if at < 0 || !strings.HasPrefix(line, "<!-- mcp-catalog {") || !strings.HasSuffix(line, "} -->") {
		return "", "", fmt.Errorf("the last line of the message is no marker: %s", report.Clip([]byte(line)))
	}
	return message[:at], line, nil
}

// forget takes messages of ours out of the history, as compaction or rewinding does.
func (t *conversation) forget(which json.RawMessage) error {
	if which == nil {
		return nil
	}
	var numbers []int
	if string(which) == `"all"` {
		for n := range t.ours {
			numbers = append(numbers, n)
		}
	} else if err := json.Unmarshal(which, &numbers); err != nil {
		return err
	}
	var gone []int
	for _, n := range numbers {
		if n >= len(t.ours) {
			return fmt.Errorf("there is no message %d of ours", n)
		}
		gone = append(gone, t.ours[n])
	}
	var history []string
	var ours []int
	for i, text := range t.history {
		if slices.Contains(gone, i) {
			continue
		}
		if slices.Contains(t.ours, i) {
			ours = append(ours, len(history))
		}
		history = append(history, text)
	}
	t.history, t.ours = append([]string{}, history...), ours
	return nil
}
