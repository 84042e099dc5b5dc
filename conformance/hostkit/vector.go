package hostkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/exec-ext/exec-ext/conformance"
	"github.com/exec-ext/exec-ext/conformance/match"
)

// A vector is one check of a host, decoded.
type vector struct {
	conformance.Header
	Start     map[string]json.RawMessage `json:"start"`     // members in the place of those of the standard start
	Needs     string                     `json:"needs"`     // a capability of the host's, else the check is skipped
	Manual    []string                   `json:"manual"`    // methods that the steps answer, not the fake extension
	Answers   map[string]json.RawMessage `json:"answers"`   // its results for methods, in the place of the standard ones
	Strict    bool                       `json:"strict"`    // initialize must fit its schema
	Stubborn  bool                       `json:"stubborn"`  // it does not end with its stdin
	Ends      bool                       `json:"ends"`      // its process must be gone when the host has stopped
	Goodbye   bool                       `json:"goodbye"`   // and shutdown and exit must have come before
	Runs      *string                    `json:"runs"`      // it answers exec/run by itself, with this text
	TimeoutMs int64                      `json:"timeoutMs"` // of the whole check; 0 = the option's
	Steps     []step                     `json:"steps"`
	Note      string                     `json:"note"`
}

func (v *vector) byHand(method string) bool { return slices.Contains(v.Manual, method) }

// decode reads a vector whose members are all known.
func decode(raw conformance.Vector) (*vector, error) {
	v := &vector{}
	if err := raw.Decode(v); err != nil {
		return nil, err
	}
	if len(v.Steps) == 0 {
		return nil, fmt.Errorf("%s: no steps", raw.ID)
	}
	for i := range v.Steps {
		if _, err := v.Steps[i].action(); err != nil {
			return nil, fmt.Errorf("%s, step %d: %w", raw.ID, i+1, err)
		}
	}
	return v, nil
}

// A step is one thing that the kit does or waits for; exactly one of the members that name an action is given.
type step struct {
	// The adapter's side.
	Order json.RawMessage `json:"order"`
	Event json.RawMessage `json:"event"` // pattern; its member "event" is a name
	// The leaves of all such events so far, in order; what they are when the check ends must be so then, too.
	Called  *[]string `json:"called"`
	Asked   *[]string `json:"asked"`
	Aborted *[]string `json:"aborted"`

	// The extension's side.
	Begin   string              `json:"begin"`   // a run: order, exec/run taken as "run", pool asked for
	Take    string              `json:"take"`    // a method of the host's, or several parted by |
	Answer  string              `json:"answer"`  // to a request taken
	Text    *string             `json:"text"`    // with answer: a completed run with this text
	Failure string              `json:"failure"` // with answer: a failed run with this status
	Ask     string              `json:"ask"`     // a request to the host
	Call    string              `json:"call"`    // host/callTool for this leaf
	Permit  string              `json:"permit"`  // host/permission for this leaf
	Reply   string              `json:"reply"`   // the host's answer to a request asked
	Refused bool                `json:"refused"` // with reply: an error or a refusing outcome
	Notify  string              `json:"notify"`
	Write   []conformance.Piece `json:"write"` // bytes, not framed
	Exit    *int                `json:"exit"`
	Stop    bool                `json:"stop"` // the host ends here; else it does after the last step
	PauseMs int64               `json:"pauseMs"`
	Note    string              `json:"note"`

	As        string          `json:"as"`
	Params    json.RawMessage `json:"params"` // with take a pattern
	Result    json.RawMessage `json:"result"` // with reply a pattern
	Error     json.RawMessage `json:"error"`  // with reply a pattern
	Arguments json.RawMessage `json:"arguments"`
	Grant     json.RawMessage `json:"grant"`
	CallID    string          `json:"callId"` // "" = call-1
	Index     int             `json:"index"`  // 0 = 1
	Times     int             `json:"times"`  // with notify; with text: so often in one text
	WithinMs  int64           `json:"withinMs"`
}

// action is the name of what the step does.
func (s *step) action() (string, error) {
	return conformance.Action(map[string]bool{
		"order": s.Order != nil, "event": s.Event != nil, "called": s.Called != nil, "asked": s.Asked != nil,
		"aborted": s.Aborted != nil, "begin": s.Begin != "", "take": s.Take != "", "answer": s.Answer != "", "ask": s.Ask != "",
		"call": s.Call != "", "permit": s.Permit != "", "reply": s.Reply != "", "notify": s.Notify != "", "write": s.Write != nil,
		"exit": s.Exit != nil, "stop": s.Stop, "pause": s.PauseMs != 0,
	})
}

// fill puts bound values in their places; what comes of it stands on one line.
func fill(raw json.RawMessage, vars match.Vars) json.RawMessage {
	return vars.Fill(json.RawMessage(oneLine(raw)))
}

// oneLine is JSON without white space between tokens.
func oneLine(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
