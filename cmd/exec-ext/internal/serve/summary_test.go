package serve

import (
	"strings"
	"testing"
)

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
			l := newLedger("s", "r", nil)
			for _, name := range c.calls {
				l.end(l.begin(name), callOK)
			}
			got := l.summary(c.state).Text
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if strings.Contains(got, "Exec") {
				t.Error("the summary names Exec")
			}
		})
	}
}

// A script that calls for ever cannot make the ledger grow for ever, and the sums still hold.
func TestLedgerIsBounded(t *testing.T) {
	l := newLedger("s", "r", nil)
	const calls = 5000
	for i := range calls {
		status := callOK
		if i >= 50 {
			status = callLimit
		}
		l.end(l.begin("mcp__a__x"), status)
	}
	listed, omitted := l.records()
	if len(listed) != callsListed || len(l.listed) != callsListed || len(l.open) != 0 || len(l.tally) != 1 {
		t.Errorf("%d listed, %d open, %d tallied", len(listed), len(l.open), len(l.tally))
	}
	if omitted[callLimit] != calls-callsListed || l.summary(stateDone).Total != calls {
		t.Errorf("omitted %v, summary %+v", omitted, l.summary(stateDone))
	}
	if got := l.named(callOK); len(got) != 1 || got[0].count != 50 {
		t.Errorf("completed %+v", got)
	}
}
