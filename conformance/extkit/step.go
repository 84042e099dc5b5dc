package extkit

import (
	"encoding/json"

	"github.com/exec-ext/exec-ext/conformance"
)

// A step is one thing that the fake host does or waits for; exactly one of the members that name an action is given.
type step struct {
	// A request: Call waits for its answer, Start does not and is answered in the step Finish of the same name.
	Call       string          `json:"call"`
	Start      string          `json:"start"`
	As         string          `json:"as"`
	Finish     string          `json:"finish"`
	Params     json.RawMessage `json:"params"`
	ParamsText string          `json:"paramsText"`
	Result     json.RawMessage `json:"result"` // pattern
	Error      json.RawMessage `json:"error"`  // pattern
	WithinMs   int64           `json:"withinMs"`
	Notify     string          `json:"notify"`

	Send     json.RawMessage     `json:"send"`     // a whole message
	SendText *text               `json:"sendText"` // a whole message as text, framed as it is
	Invalid  bool                `json:"invalid"`  // the message breaks the schema on purpose
	Write    []conformance.Piece `json:"write"`    // bytes, not framed
	Every    int                 `json:"every"`    // bytes in one write; 0 = all

	Expect  json.RawMessage   `json:"expect"`  // pattern of a whole message
	Several []json.RawMessage `json:"several"` // patterns of as many messages, in any order
	Maybe   json.RawMessage   `json:"maybe"`   // pattern of a message that may have come
	None    json.RawMessage   `json:"none"`    // pattern that no message not yet taken fits, for WithinMs

	Calls    *[]string       `json:"calls"`  // that came so far
	Stderr   json.RawMessage `json:"stderr"` // pattern of the end of stderr
	PauseMs  int64           `json:"pauseMs"`
	Hold     *bool           `json:"hold"` // true: the host stops reading
	Close    bool            `json:"close"`
	HostDies bool            `json:"hostDies"`
	Exit     json.RawMessage `json:"exit"` // pattern of the exit code
	Note     string          `json:"note"`
}

// action is the name of what the step does.
func (s *step) action() (string, error) {
	return conformance.Action(map[string]bool{
		"call": s.Call != "", "start": s.Start != "", "finish": s.Finish != "", "notify": s.Notify != "", "send": s.Send != nil,
		"sendText": s.SendText != nil, "write": s.Write != nil, "expect": s.Expect != nil, "several": s.Several != nil,
		"none": s.None != nil, "maybe": s.Maybe != nil, "calls": s.Calls != nil, "stderr": s.Stderr != nil, "pause": s.PauseMs != 0,
		"hold": s.Hold != nil, "close": s.Close, "hostDies": s.HostDies, "exit": s.Exit != nil,
	})
}
