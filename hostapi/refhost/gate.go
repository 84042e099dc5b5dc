package refhost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/exec-ext/exec-ext/hostapi/turns"
)

// An Answer is what the user says to a question.
type Answer int

const (
	AnswerNo     Answer = iota
	AnswerOnce          // this call
	AnswerRun           // this leaf until the host ends
	AnswerAlways        // this leaf, saved in the user's file
)

// A Question is asked when no rule decides. Save is where AnswerAlways would be saved, "" if it cannot be.
type Question struct {
	Name      string
	Arguments json.RawMessage
	Save      string
}

// ErrNobody is what Ask gives if it turns out that nobody can be asked; one that wraps it says why.
var ErrNobody = errors.New("nobody can be asked")

// GateOptions: the zero value allows nothing and asks nobody.
type GateOptions struct {
	Allow []Rule
	Deny  []Rule // stronger than Allow
	Saved *SavedRules
	// Ask puts one question to the user; it is never called twice at a time. An
	// error is the context's or ErrNobody. nil: nobody can be asked.
	Ask func(ctx context.Context, q Question) (Answer, error)
	// Unsaved is told that AnswerAlways could not be saved, and why: the leaf is allowed until the host ends. It must
	// not block; nil: nobody is told.
	Unsaved func(name string, err error)
}

// A Gate decides on calls, by leaf name and leaf arguments only. It may be used from any goroutine.
type Gate struct {
	o    GateOptions
	line *turns.Line // questions are asked in the order in which the calls came

	mu     sync.Mutex
	always map[string]bool // guarded by mu: leaves allowed until the host ends
}

// NewGate makes a gate.
func NewGate(o GateOptions) *Gate {
	return &Gate{o: o, line: turns.NewLine(1), always: map[string]bool{}}
}

// A verdict is one decision. Reason and by are set when it is no.
type verdict struct {
	allowed    bool
	reason, by string
}

// decide answers at once if a rule does, else asks the user when it is the call's turn. It gives the turn up. The error
// is the context's.
func (g *Gate) decide(ctx context.Context, t *turns.Turn, name string, args json.RawMessage) (verdict, error) {
	defer t.Leave()
	if v, ok := g.byRule(name, args); ok {
		return v, nil
	}
	if g.o.Ask == nil {
		return nobody(name, ErrNobody), nil
	}
	if err := t.Wait(ctx); err != nil {
		return verdict{}, err
	}
	if v, ok := g.byRule(name, args); ok { // the question before this one may have settled it
		return v, nil
	}
	q := Question{Name: name, Arguments: args}
	if g.o.Saved != nil {
		q.Save = g.o.Saved.Path()
	}
	answer, err := g.o.Ask(ctx, q)
	switch {
	case errors.Is(err, ErrNobody):
		return nobody(name, err), nil
	case err != nil:
		return verdict{}, err
	}
	if answer == AnswerNo {
		return verdict{reason: textDeniedByUser, by: "user"}, nil
	}
	g.remember(answer, name)
	return verdict{allowed: true}, nil
}

// nobody is the verdict where err says that nobody can be asked.
func nobody(name string, err error) verdict {
	return verdict{reason: fmt.Sprintf(textNobodyToAsk, name, strings.TrimPrefix(err.Error(), ErrNobody.Error())), by: "host"}
}

// byRule is the decision without the user; ok says whether there is one. Deny rules are the strongest.
func (g *Gate) byRule(name string, args json.RawMessage) (v verdict, ok bool) {
	if r, ok := firstMatch(g.o.Deny, name, args); ok {
		return verdict{reason: fmt.Sprintf(textDeniedByRule, r), by: "rule"}, true
	}
	if _, ok := firstMatch(g.o.Allow, name, args); ok {
		return verdict{allowed: true}, true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.always[name] || g.o.Saved != nil && g.o.Saved.allows(name) {
		return verdict{allowed: true}, true
	}
	return verdict{}, false
}

// remember keeps a yes that is for more than this call. One that cannot be saved is a yes all the same.
func (g *Gate) remember(a Answer, name string) {
	if a == AnswerOnce {
		return
	}
	g.mu.Lock()
	g.always[name] = true
	g.mu.Unlock()
	if a != AnswerAlways || g.o.Saved == nil {
		return
	}
	if err := g.o.Saved.add(name); err != nil && g.o.Unsaved != nil {
		g.o.Unsaved(name, err)
	}
}

// poolDeny is the part of the deny rules that takes whole tools out of the pool. The others are met when a call is
// decided.
func (g *Gate) poolDeny() []string {
	var names []string
	for _, r := range g.o.Deny {
		if r.wholeTool() {
			names = append(names, r.text)
		}
	}
	return names
}
