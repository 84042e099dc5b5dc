package refhost

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/exec-ext/exec-ext/hostapi/turns"
)

func rules(t *testing.T, texts ...string) []Rule {
	t.Helper()
	r, err := ParseRules(texts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// script answers questions in order and remembers them.
type script struct {
	answers []Answer
	asked   []Question
}

func (s *script) ask(_ context.Context, q Question) (Answer, error) {
	s.asked = append(s.asked, q)
	a := s.answers[0]
	s.answers = s.answers[1:]
	return a, nil
}

func decide(t *testing.T, g *Gate, name, args string) verdict {
	t.Helper()
	v, err := g.decide(t.Context(), g.line.Join(), name, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestS8_1_AlwaysIsSavedUnderTheLeafName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "rules.json")
	saved, err := OpenSavedRules(path)
	if err != nil {
		t.Fatal(err)
	}
	user := script{answers: []Answer{AnswerAlways, AnswerNo}}
	g := NewGate(GateOptions{Saved: saved, Ask: user.ask})
	for range 2 {
		if v := decide(t, g, "mcp__files__read", `{"path":"a"}`); !v.allowed {
			t.Errorf("denied: %s", v.reason)
		}
	}
	if len(user.asked) != 1 || user.asked[0].Save != path || string(user.asked[0].Arguments) != `{"path":"a"}` {
		t.Errorf("asked %+v", user.asked)
	}
	if v := decide(t, g, "mcp__files__write", `{}`); v.allowed || v.by != "user" {
		t.Errorf("another leaf: %+v", v)
	}
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), `"mcp__files__read"`) {
		t.Errorf("file: %s, %v", data, err)
	}
	again := NewGate(GateOptions{Saved: saved})
	if v := decide(t, again, "mcp__files__read", `{}`); !v.allowed {
		t.Errorf("the next host asks again: %s", v.reason)
	}
}

// What cannot be saved is allowed all the same, for as long as the host lives, and the user is told why.
func TestS8_1_AlwaysThatCannotBeSavedIsAYes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rules.json")
	saved, err := OpenSavedRules(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{half"), 0o600); err != nil {
		t.Fatal(err)
	}
	user := script{answers: []Answer{AnswerAlways}}
	var told []string
	g := NewGate(GateOptions{Saved: saved, Ask: user.ask, Unsaved: func(name string, err error) {
		told = append(told, name+": "+err.Error())
	}})
	for range 2 {
		if v := decide(t, g, "mcp__files__read", `{}`); !v.allowed {
			t.Errorf("denied: %s", v.reason)
		}
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "mcp__files__read: saved rules "+path) {
		t.Errorf("told %q", told)
	}
	if data, err := os.ReadFile(path); string(data) != "{half" {
		t.Errorf("the user's file: %s, %v", data, err)
	}
}

func TestS8_1_WithoutARuleTheUserIsAsked(t *testing.T) {
	user := script{answers: []Answer{AnswerOnce, AnswerRun, AnswerNo}}
	g := NewGate(GateOptions{Ask: user.ask})
	decide(t, g, "mcp__a__b", `{}`) // once
	decide(t, g, "mcp__a__b", `{}`) // for this run
	decide(t, g, "mcp__a__b", `{}`)
	if len(user.asked) != 2 {
		t.Errorf("asked %d times, want 2", len(user.asked))
	}
	if v := decide(t, g, "mcp__a__c", `{}`); v.allowed || v.reason != textDeniedByUser {
		t.Errorf("%+v", v)
	}
}

func TestS8_2_AllowRuleRunsWithoutAsking(t *testing.T) {
	g := NewGate(GateOptions{Allow: rules(t, "mcp__a__*(path=/srv/*)")})
	if v := decide(t, g, "mcp__a__b", `{"path":"/srv/x"}`); !v.allowed {
		t.Error(v.reason)
	}
	v := decide(t, g, "mcp__a__b", `{"path":"/etc/x"}`)
	if v.allowed || !strings.Contains(v.reason, "No rule allows mcp__a__b") || !strings.Contains(v.reason, "--allow") {
		t.Errorf("without a terminal: %+v", v)
	}
}

func TestS8_3_DenyRuleBeatsAllowAndSaysWhy(t *testing.T) {
	g := NewGate(GateOptions{Allow: rules(t, "mcp__*"), Deny: rules(t, "mcp__a__b(path=/etc/*)", "mcp__z__*", "Exec", "mcp__*__drop")})
	v := decide(t, g, "mcp__a__b", `{"path":"/etc/x"}`)
	if v.allowed || v.by != "rule" || !strings.Contains(v.reason, "mcp__a__b(path=/etc/*)") {
		t.Errorf("%+v", v)
	}
	if v := decide(t, g, "mcp__a__b", `{"path":"/srv/x"}`); !v.allowed {
		t.Error(v.reason)
	}
	if v := decide(t, g, "mcp__db__drop", `{}`); v.allowed {
		t.Error("a pattern with * in the middle is not met")
	}
	if got := strings.Join(g.poolDeny(), " "); got != "mcp__z__* Exec" {
		t.Errorf("poolDeny: %s", got)
	}
}

func TestGate_QuestionsComeOneAtATimeAndSettleTheNext(t *testing.T) {
	var mu sync.Mutex
	var open, asked int
	g := NewGate(GateOptions{Ask: func(context.Context, Question) (Answer, error) {
		mu.Lock()
		open++
		asked++
		if open > 1 {
			t.Error("two questions at a time")
		}
		mu.Unlock()
		defer func() { mu.Lock(); open--; mu.Unlock() }()
		return AnswerRun, nil
	}})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { decide(t, g, "mcp__a__b", `{}`) })
	}
	wg.Wait()
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// However the goroutines run, the questions come in the order of the calls; one that a rule decides holds up nobody.
func TestS8_1_QuestionsComeInTheOrderOfTheCalls(t *testing.T) {
	user := script{answers: make([]Answer, 4)}
	g := NewGate(GateOptions{Ask: user.ask, Allow: rules(t, "mcp__a__allowed")})
	names := []string{"mcp__a__1", "mcp__a__allowed", "mcp__a__2", "mcp__a__3", "mcp__a__4"}
	places := make([]*turns.Turn, len(names))
	for i := range names {
		places[i] = g.line.Join()
	}
	var wg sync.WaitGroup
	for i := len(names) - 1; i >= 0; i-- {
		wg.Go(func() { _, _ = g.decide(t.Context(), places[i], names[i], nil) })
	}
	wg.Wait()
	var asked []string
	for _, q := range user.asked {
		asked = append(asked, q.Name)
	}
	if got := strings.Join(asked, " "); got != "mcp__a__1 mcp__a__2 mcp__a__3 mcp__a__4" {
		t.Error(got)
	}
}

func TestGate_ContextEndsTheWait(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	g := NewGate(GateOptions{Ask: func(context.Context, Question) (Answer, error) {
		close(entered)
		<-leave
		return AnswerNo, nil
	}})
	defer close(leave)
	go func() { _, _ = g.decide(context.Background(), g.line.Join(), "mcp__a__b", nil) }()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.decide(ctx, g.line.Join(), "mcp__a__c", nil); err == nil {
		t.Error("it did not end")
	}
}

func TestSavedRules_AnUnreadableFileIsAnErrorAndAllowsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rules.json")
	if err := os.WriteFile(path, []byte("{\n\"allow\": 7}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := OpenSavedRules(path)
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error: %v", err)
	}
	if s.allows("mcp__a__b") || s.add("mcp__a__b") == nil {
		t.Error("the file was used")
	}
}
