package cli

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/hostapi/refhost"
)

// console collects what is written, safe for a writer of its own goroutine.
type console struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	grew chan struct{}
}

func newConsole() *console { return &console{grew: make(chan struct{}, 100)} }

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.grew <- struct{}{} }()
	return c.buf.Write(p)
}

// until waits for a text to be written.
func (c *console) until(t *testing.T, want string) {
	t.Helper()
	for {
		c.mu.Lock()
		have := c.buf.String()
		c.mu.Unlock()
		if strings.Contains(have, want) {
			return
		}
		select {
		case <-c.grew:
		case <-t.Context().Done():
			t.Fatalf("%q never came: %q", want, have)
		}
	}
}

func summary(text string) hostapi.ExecProgressParams {
	return hostapi.ExecProgressParams{Summary: hostapi.Summary{Text: text, State: "running"}}
}

func TestS10_4_TerminalGetsOneBlockThatIsDrawnAnew(t *testing.T) {
	c := newConsole()
	l := startLive(screen{w: c, terminal: true})
	l.progress(summary("2 tool calls\nmcp__a__b\nmcp__a__c"))
	c.until(t, "2 tool calls\nmcp__a__b\nmcp__a__c\n")
	l.serverProgress(refhost.Progress{Name: "mcp__a__c", Progress: 1, Total: 2, Message: "half\x1b[2J"})
	c.until(t, "\x1b[3A\x1b[J2 tool calls\nmcp__a__b\nmcp__a__c\nmcp__a__c: 1/2 half\\u001b[2J\n")
	l.end(hostapi.Summary{Text: "... 3 tool calls\nmcp__a__c\nmcp__a__d"})
	c.until(t, "\x1b[4A\x1b[J... 3 tool calls\nmcp__a__c\nmcp__a__d\n")
	before := c.buf.Len()
	l.progress(summary("4 tool calls"))
	l.end(hostapi.Summary{Text: "late"})
	if c.buf.Len() != before {
		t.Errorf("something came after the end: %q", c.buf.String()[before:])
	}
}

func TestS10_4_PipeGetsALineForEachChange(t *testing.T) {
	c := newConsole()
	l := startLive(screen{w: c})
	l.progress(summary("1 tool call\nmcp__a__b"))
	c.until(t, "1 tool call · mcp__a__b\n")
	p := summary("1 tool call\nmcp__a__b")
	p.Awaiting = &hostapi.Awaiting{Name: "mcp__a__b", What: "permission"}
	l.progress(p) // the question itself is shown: a line for it would come with every call
	l.progress(summary("2 tool calls\nmcp__a__b\nmcp__a__c"))
	c.until(t, "2 tool calls · mcp__a__b · mcp__a__c\n")
	l.end(hostapi.Summary{Text: "2 tool calls\nmcp__a__b\nmcp__a__c"})
	if want := "1 tool call · mcp__a__b\n2 tool calls · mcp__a__b · mcp__a__c\n"; c.buf.String() != want {
		t.Errorf("got %q, want %q", c.buf.String(), want)
	}
}

func TestLive_AQuestionStandsAloneWhileItIsOpen(t *testing.T) {
	c := newConsole()
	l := startLive(screen{w: c, terminal: true})
	l.progress(summary("1 tool call"))
	c.until(t, "1 tool call\n")
	resume := l.pause()
	c.until(t, "\x1b[1A\x1b[J")
	l.progress(summary("2 tool calls"))
	c.mu.Lock()
	if strings.Contains(c.buf.String(), "2 tool calls") {
		t.Error("drawn over the question")
	}
	c.mu.Unlock()
	resume()
	c.until(t, "2 tool calls\n")
	l.end(hostapi.Summary{})
}

func TestScreen_ATerminalIsSentNoControlCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"a\tb\nü漢":         "a\tb\nü漢",
		"\x1b]0;title\x07": `\u001b]0;title\u0007`,
		"a\rb\u009bc":      `a\u000db\u009bc`,
		"x\u202ey":         `x\u202ey`,
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}
