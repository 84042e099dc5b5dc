package serve

import (
	"strings"
	"testing"
)

func entriesOf(names ...string) []*callEntry {
	var out []*callEntry
	for i, n := range names {
		out = append(out, &callEntry{index: i + 1, name: n})
	}
	return out
}

func TestS10_SummaryText(t *testing.T) {
	for _, c := range []struct {
		id, state string
		calls     []string
		want      string
	}{
		{"S10.5 none", stateDone, nil, "0 tool calls"},
		{"S10.1 one", stateDone, []string{"mcp__a__x"}, "1 tool call\nmcp__a__x"},
		{"S10.2 two", stateDone, []string{"mcp__a__x", "mcp__a__y"}, "2 tool calls\nmcp__a__x\nmcp__a__y"},
		{"S10.3 more than two", stateDone, []string{"a", "b", "c", "d", "e"}, "... 5 tool calls\nd\ne"},
		{"S10.4 running", stateRunning, []string{"a", "b", "c"}, "... 3 tool calls\nb\nc"},
		{"S10.6 failed", stateFailed, []string{"a", "b"}, "failed"},
		{"S7.5 search is listed", stateDone, []string{searchCall}, "1 tool call\n$codemode.search"},
	} {
		t.Run(c.id, func(t *testing.T) {
			got := summaryText(entriesOf(c.calls...), c.state)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if strings.Contains(got, "Exec") {
				t.Error("the summary names Exec")
			}
		})
	}
}
