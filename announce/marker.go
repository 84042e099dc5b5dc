package announce

import (
	stdjson "encoding/json"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/exec-ext/exec-ext/catalog"
)

// Kinds of a message, and of the marker it carries.
const (
	kindFull    = "full"
	kindDiff    = "diff"
	kindEmpty   = "empty"
	kindRetired = "retired"
)

const (
	markerVersion = 1
	markerName    = "mcp-catalog" // this channel's own; a host has others, as for the servers' instructions
	commentOpen   = "<!--"
	commentClose  = "-->"
)

// A Marker is the JSON object of the line <!-- mcp-catalog {...} -->.
type Marker struct {
	V         int            `json:"v"`
	Kind      string         `json:"kind"`
	Digest    string         `json:"digest"`         // of the full catalog in force; of their own text in empty and retired
	Base      string         `json:"base,omitempty"` // of the full message that a diff builds on
	Truncated bool           `json:"truncated"`
	Servers   map[string]int `json:"servers"` // tools by group key
}

// line is the marker as the last line of a message. encoding/json sorts the servers and escapes < and >, so the
// comment cannot end early, whatever a server is called.
func (m Marker) line() string {
	body, err := stdjson.Marshal(m)
	if err != nil {
		panic("announce: " + err.Error()) // strings and numbers only
	}
	return commentOpen + " " + markerName + " " + string(body) + " " + commentClose
}

// Read finds the markers in a history, oldest first; an unreadable one is left out, and so is one of another version.
// A marker is found wherever it stands: hosts trim, indent, wrap and join messages and change their line ends.
func Read(history []string) []Marker {
	var found []Marker
	for _, text := range history {
		first := true
		for comment := range strings.SplitSeq(text, commentOpen) {
			if m, ok := readOne(comment); ok && !first {
				found = append(found, m)
			}
			first = false
		}
	}
	return found
}

// readOne reads the marker that a comment may be. What it is given begins after the opening of the comment and ends
// before the next one, so that the whole of a history is looked at once.
func readOne(comment string) (Marker, bool) {
	body, ours := strings.CutPrefix(strings.TrimLeft(comment, space), markerName)
	if !ours || body == strings.TrimLeft(body, space) {
		return Marker{}, false
	}
	body, _, closed := strings.Cut(body, commentClose)
	if !closed {
		return Marker{}, false
	}
	var m Marker
	if err := json.Unmarshal([]byte(body), &m); err != nil || !m.valid() {
		return Marker{}, false
	}
	return m, true
}

const space = " \t\r\n"

func (m Marker) valid() bool {
	if m.V != markerVersion || !isDigest(m.Digest) {
		return false
	}
	switch m.Kind {
	case kindEmpty, kindRetired:
		return true
	case kindFull:
		return counted(m.Servers)
	case kindDiff:
		return counted(m.Servers) && isDigest(m.Base)
	}
	return false
}

func isDigest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func counted(servers map[string]int) bool {
	for _, n := range servers {
		if n < 1 {
			return false
		}
	}
	return len(servers) > 0
}

// counts are the numbers of tools by group key.
func counts(l catalog.Listing) map[string]int {
	servers := make(map[string]int, len(l.Servers))
	for _, s := range l.Servers {
		servers[s.Name] = s.Total
	}
	return servers
}
