package extkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/exec-ext/exec-ext/conformance"
)

// A vector is one check as it stands in the data: a setting and one form of test. INTERPRETING.md explains the members.
type vector struct {
	conformance.Header
	setting

	Steps  []step      `json:"steps"`
	Run    *runForm    `json:"run"`
	Render *renderForm `json:"render"`
	Search *searchForm `json:"search"`
	Turns  []turn      `json:"turns"`
}

// A setting is the world that a check happens in.
type setting struct {
	Note         string                 `json:"note"`
	Framing      string                 `json:"framing"` // "" = any
	TimeoutMs    int64                  `json:"timeoutMs"`
	Shared       bool                   `json:"shared"` // the steps leave nothing behind
	Open         *bool                  `json:"open"`   // false: nothing is sent before the steps
	Capabilities json.RawMessage        `json:"capabilities"`
	Config       json.RawMessage        `json:"config"`
	Permission   string                 `json:"permission"`
	Process      string                 `json:"process"` // "child": a process of its own stands for the host
	Tools        []json.RawMessage      `json:"tools"`
	Deny         []string               `json:"deny"`
	Pools        []json.RawMessage      `json:"pools"`
	Host         map[string][]behaviour `json:"host"`
	Gate         map[string][]decision  `json:"gate"`
	Manual       []string               `json:"manual"`
}

// decodeVector reads a vector strictly: a member that has no meaning is an error.
func decodeVector(v conformance.Vector) (*vector, error) {
	out := &vector{}
	if err := v.Decode(out); err != nil {
		return nil, err
	}
	forms := 0
	for _, there := range []bool{out.Steps != nil, out.Run != nil, out.Render != nil, out.Search != nil, out.Turns != nil} {
		if there {
			forms++
		}
	}
	if forms != 1 {
		return nil, fmt.Errorf("%s: it has %d of steps, run, render, search and turns, not one", v.ID, forms)
	}
	return out, nil
}

// shared says whether the check leaves nothing behind, so that the next one can use the same process.
func (v *vector) shared() bool {
	if v.Steps != nil && !v.Shared || v.Open != nil || v.Capabilities != nil || v.Config != nil || v.Permission != "" || v.Process != "" {
		return false
	}
	for _, t := range v.Turns {
		if t.Config != nil || t.Restart {
			return false
		}
	}
	return true
}

func (v *vector) opens() bool { return v.Open == nil || *v.Open }

// text is a string, or a list of lines.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*t = text(s)
		return nil
	}
	var lines []string
	if err := json.Unmarshal(raw, &lines); err != nil {
		return errors.New("a text is a string or a list of lines")
	}
	*t = text(strings.Join(lines, "\n"))
	return nil
}

// tools gives the tools as a server would list them: a bare name stands for a tool without fields.
func tools(list []json.RawMessage) ([]json.RawMessage, error) {
	out := []json.RawMessage{}
	for _, raw := range list {
		var s string
		switch {
		case json.Unmarshal(raw, &s) != nil:
			out = append(out, raw)
		case strings.HasPrefix(s, "{"): // JSON as text, its spelling kept
			out = append(out, json.RawMessage(s))
		default:
			tool, err := json.Marshal(map[string]any{
				"name": s, "description": "Does " + s[strings.LastIndex(s, "_")+1:] + ".", "inputSchema": map[string]any{"type": "object"},
			})
			if err != nil {
				return nil, err
			}
			out = append(out, tool)
		}
	}
	return out, nil
}

// snapshot is the pool of some tools, as host/pool answers it.
func snapshot(list []json.RawMessage, deny []string) (json.RawMessage, error) {
	all, err := tools(list)
	if err != nil {
		return nil, err
	}
	return marshal(struct {
		Status string            `json:"status"`
		Tools  []json.RawMessage `json:"tools"`
		Deny   []string          `json:"deny,omitempty"`
	}{"ok", all, deny})
}

// marshal keeps < > & as they are.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
