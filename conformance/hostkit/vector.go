package hostkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/exec-ext/exec-ext/conformance"
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
	d := json.NewDecoder(bytes.NewReader(raw.Raw))
	d.DisallowUnknownFields()
	v := &vector{}
	if err := d.Decode(v); err != nil {
		return nil, fmt.Errorf("vector %s: %w", raw.ID, err)
	}
	if len(v.Steps) == 0 {
		return nil, fmt.Errorf("vector %s: no steps", raw.ID)
	}
	for i := range v.Steps {
		if _, err := v.Steps[i].action(); err != nil {
			return nil, fmt.Errorf("vector %s, step %d: %w", raw.ID, i+1, err)
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
	Begin   string  `json:"begin"`   // a run: order, exec/run taken as "run", pool asked for
	Take    string  `json:"take"`    // a method of the host's, or several parted by |
	Answer  string  `json:"answer"`  // to a request taken
	Text    *string `json:"text"`    // with answer: a completed run with this text
	Failure string  `json:"failure"` // with answer: a failed run with this status
	Ask     string  `json:"ask"`     // a request to the host
	Call    string  `json:"call"`    // host/callTool for this leaf
	Permit  string  `json:"permit"`  // host/permission for this leaf
	Reply   string  `json:"reply"`   // the host's answer to a request asked
	Refused bool    `json:"refused"` // with reply: an error or a refusing outcome
	Notify  string  `json:"notify"`
	Write   []piece `json:"write"` // bytes, not framed
	Exit    *int    `json:"exit"`
	Stop    bool    `json:"stop"` // the host ends here; else it does after the last step
	PauseMs int64   `json:"pauseMs"`
	Note    string  `json:"note"`

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
	var found []string
	for _, a := range []struct {
		name  string
		there bool
	}{
		{"order", s.Order != nil}, {"event", s.Event != nil}, {"called", s.Called != nil},
		{"asked", s.Asked != nil}, {"aborted", s.Aborted != nil}, {"begin", s.Begin != ""}, {"take", s.Take != ""}, {"answer", s.Answer != ""},
		{"ask", s.Ask != ""}, {"call", s.Call != ""}, {"permit", s.Permit != ""}, {"reply", s.Reply != ""},
		{"notify", s.Notify != ""}, {"write", s.Write != nil}, {"exit", s.Exit != nil}, {"stop", s.Stop},
		{"pause", s.PauseMs != 0},
	} {
		if a.there {
			found = append(found, a.name)
		}
	}
	if len(found) != 1 {
		return "", errors.New("a step does exactly one thing, not " + strings.Join(found, " and "))
	}
	return found[0], nil
}

// A piece is bytes to write: text as it is, or as one message in the host's framing.
type piece struct {
	Text  string `json:"text"`
	Frame string `json:"frame"`
	Times int    `json:"times"` // so often; 0 = once
}

// fill puts bound values in the place of {"$ref":"name"}, however deep.
func fill(raw json.RawMessage, vars map[string]json.RawMessage) json.RawMessage {
	out := oneLine(raw)
	for name, value := range vars {
		out = strings.ReplaceAll(out, fmt.Sprintf(`{"$ref":%q}`, name), string(value))
	}
	return json.RawMessage(out)
}

// oneLine is JSON without white space between tokens.
func oneLine(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

func clip(b []byte) string {
	const most = 400
	if len(b) > most {
		return fmt.Sprintf("%q... (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("%q", b)
}
