package soak

import "testing"

// A run's request is seen going out, and no other message of the host or of another run is taken for it: a cancel that
// waits for it never overtakes it.
func TestN9_LedgerSeesARunGoOut(t *testing.T) {
	l := newLedger()
	sent, forget := l.watch("s", "r")
	defer forget()
	isSent := func() bool {
		select {
		case <-sent:
			return true
		default:
			return false
		}
	}
	run := func(session, run string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"exec/run","params":{"sessionId":"` + session + `","runId":"` + run + `","input":{}}}`
	}
	for _, other := range []string{
		run("s", "other"), run("other", "r"), run("", "s r"),
		`{"jsonrpc":"2.0","method":"exec/cancel","params":{"sessionId":"s","runId":"r"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"turn/prepare","params":{"sessionId":"s","runId":"r"}}`,
	} {
		l.trace("out", []byte(other))
		if isSent() {
			t.Fatalf("taken for the run: %s", other)
		}
	}
	l.trace("out", []byte(run("s", "r")))
	if !isSent() {
		t.Error("the run has gone out and was not seen")
	}
	l.trace("out", []byte(run("s", "r"))) // once more does no harm
}
