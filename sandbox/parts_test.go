package sandbox

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

func TestCheckJSON(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for _, tc := range []struct {
		raw    string
		object bool
		good   bool
	}{
		{`{}`, true, true},
		{` {"a":1, "a":2} `, true, true}, // repeated names are the script's own business
		{`{"a":"\ud800"}`, true, true},   // so is half a surrogate pair
		{`{"a":1e999}`, true, true},      // and a number that fits no machine
		{nested(wire.MaxDepth), true, true},
		{nested(wire.MaxDepth + 1), true, false},
		{nested(100000), true, false},
		{`[]`, true, false},
		{`null`, true, false},
		{`"{}"`, true, false},
		{``, true, false},
		{`{`, true, false},
		{`{}{}`, true, false},
		{`{} x`, true, false},
		{`{"a":01}`, true, false},
		{`{"a":NaN}`, true, false},
		{"{\"a\":\"\xff\"}", true, false},
		{"{\"a\":\"\x01\"}", true, false},
		{`[1,2]`, false, true},
		{`null`, false, true},
		{`1 2`, false, false},
		{``, false, false},
	} {
		if err := checkJSON([]byte(tc.raw), tc.object); (err == nil) != tc.good {
			t.Errorf("checkJSON(%.40q, object %v) = %v", tc.raw, tc.object, err)
		}
	}
}

func TestLogBook(t *testing.T) {
	type line struct {
		text  string
		whole int
	}
	for _, tc := range []struct {
		name  string
		limit int
		lines []line
		total int // as the worker says
		want  Logs
	}{
		{"nothing", 10, nil, 0, Logs{}},
		{"whole lines", 10, []line{{"ab", 0}, {"", 0}, {"c", 0}}, 0, Logs{Text: "ab\n\nc", Chars: 5}},
		{"exactly full", 5, []line{{"ab", 0}, {"cd", 0}}, 5, Logs{Text: "ab\ncd", Chars: 5}},
		{"one too many", 4, []line{{"ab", 0}, {"cd", 0}}, 0, Logs{Text: "ab\nc", Chars: 5, Truncated: true}},
		{"no line closes a gap", 4, []line{{"ab", 0}, {"cde", 0}, {"f", 0}}, 0, Logs{Text: "ab\nc", Chars: 8, Truncated: true}},
		{"never inside a character", 3, []line{{"ab𝄞", 0}}, 0, Logs{Text: "ab", Chars: 4, Truncated: true}},
		{"cut by the worker", 10, []line{{"abc", 90}}, 0, Logs{Text: "abc", Chars: 90, Truncated: true}},
		{"counted by the worker", 10, []line{{"abc", 0}}, 500, Logs{Text: "abc", Chars: 500, Truncated: true}},
		{"a worker that lies", 10, []line{{"abc", -7}, {"d", 1 << 62}, {"e", 1 << 62}}, -1, Logs{Text: "abc\nd", Chars: 1<<31 - 1, Truncated: true}},
		{"nothing kept", 0, []line{{"abc", 0}}, 0, Logs{Chars: 3, Truncated: true}},
		{"no UTF-8", 10, []line{{"a\xffb", 0}}, 0, Logs{Text: "a\uFFFDb", Chars: 3}},
	} {
		b := logBook{limit: tc.limit}
		for _, l := range tc.lines {
			b.add([]byte(l.text), l.whole)
		}
		if got := b.logs(tc.total); got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

func TestFailureOfAnUncaughtCallError(t *testing.T) {
	all := map[CallErrorKind]Kind{CallDenied: KindDenied, CallLimit: KindCallLimit, CallLost: KindHostLost, CallAborted: KindCancelled,
		CallUnknown: KindScript, CallInvalid: KindScript, CallFailed: KindScript}
	for call, want := range all {
		head := wire.FailedHead{Kind: string(KindScript), CallKind: string(call), Message: "m"}
		if f, err := newFailure(head, map[CallErrorKind]bool{call: true}); err != nil || f.Kind != want {
			t.Errorf("%s: %+v, %v, want %s", call, f, err, want)
		}
		if f, err := newFailure(head, nil); err != nil || f.Kind != KindScript {
			t.Errorf("%s, which no call had: %+v, %v", call, f, err)
		}
	}
}

func TestLevelFollowsTheGuarantees(t *testing.T) {
	watch := []Layer{{ID: "memory_watch", Active: true}}
	for _, tc := range []struct {
		denied, level string
	}{
		{"filesystem network exec processes", "full"},
		{"filesystem network exec", "partial"},
		{"network", "partial"},
		{"", "process"},
	} {
		head := wire.ReadyHead{Guarantees: map[string]string{}}
		for _, g := range strings.Fields(tc.denied) {
			head.Guarantees[g] = "denied"
		}
		rep := newReport(watch, head)
		if rep.Level != tc.level || rep.Mode != "process" || rep.Guarantees.Memory != "watched" {
			t.Errorf("denied %q: %+v", tc.denied, rep)
		}
	}
	if rep := newReport(nil, wire.ReadyHead{}); rep.Guarantees.Memory != "open" || rep.Guarantees.Exec != "open" {
		t.Errorf("nothing at all: %+v", rep)
	}
	if rep := newReport(watch, wire.ReadyHead{Guarantees: map[string]string{"memory": "hard"}}); rep.Guarantees.Memory != "hard" {
		t.Errorf("hard memory: %+v", rep)
	}
}

func TestClockRingsOnceForWhatIsUsedUp(t *testing.T) {
	rung := make(chan *Failure, 4)
	c := newClock(Limits{Wall: time.Hour, Active: time.Hour}, func(f *Failure) { rung <- f })
	c.run()
	c.used = time.Hour // all of it, but a call is in flight
	c.begin()
	c.checkActive()
	select {
	case f := <-rung:
		t.Errorf("rang while a call was in flight: %+v", f)
	default:
	}
	c.reply()
	if f := <-rung; f.Message != textActive {
		t.Errorf("rang with %+v", f)
	}
	c.stop()
	c.checkActive()
	if len(rung) != 0 {
		t.Error("rang after it was stopped")
	}
}

// TestN4_NoNumberInTheSentences reads the sentences themselves.
func TestN4_NoNumberInTheSentences(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "text.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		if lit, ok := node.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			n++
			if strings.ContainsAny(lit.Value, "0123456789") {
				t.Errorf("a number in %s", lit.Value)
			}
		}
		return true
	})
	if n < 10 {
		t.Errorf("only %d sentences found", n)
	}
}
