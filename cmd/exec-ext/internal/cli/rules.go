package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/exec-ext/exec-ext/hostapi/refhost"
)

// gateFlags are the user's rules.
type gateFlags struct {
	Allow []string `placeholder:"RULE" sep:"none" help:"Allow calls without asking: NAME or NAME(KEY=VALUE), * stands for any text, as mcp__files__*."`
	Deny  []string `placeholder:"RULE" sep:"none" help:"Deny calls; stronger than --allow. A rule without (KEY=VALUE) takes the tool out of the catalog."`
	Rules string   `placeholder:"FILE" help:"Where calls that are always allowed are saved (default: rules.json in the user's configuration folder for exec-ext)."`

	allow, deny []refhost.Rule // read by gate
}

// gate reads the rules. everything allows what is not denied, whatever is saved. pause keeps the terminal free for a line.
func (f *gateFlags) gate(p *Program, everything bool, ask asker, pause func() (resume func())) (*refhost.Gate, error) {
	o := refhost.GateOptions{Ask: ask, Unsaved: func(name string, err error) {
		defer pause()()
		fmt.Fprintf(p.Stderr, "exec-ext: %s is allowed until this program ends, but not saved: %s\n", printable(name), printable(err.Error()))
	}}
	var err error
	if o.Allow, err = refhost.ParseRules(f.Allow); err != nil {
		return nil, usageError{fmt.Errorf("--allow: %w", err)}
	}
	if o.Deny, err = refhost.ParseRules(f.Deny); err != nil {
		return nil, usageError{fmt.Errorf("--deny: %w", err)}
	}
	f.allow, f.deny = o.Allow, o.Deny
	if everything {
		all, err := refhost.ParseRule("*")
		if err != nil {
			return nil, err
		}
		o.Allow = append(o.Allow, all)
		return refhost.NewGate(o), nil
	}
	if f.Rules == "" {
		dir, err := p.ConfigDir()
		if err != nil {
			return refhost.NewGate(o), nil // a user without a folder has nothing saved
		}
		f.Rules = filepath.Join(dir, "exec-ext", "rules.json")
	}
	if o.Saved, err = refhost.OpenSavedRules(f.Rules); err != nil {
		return nil, err
	}
	for _, n := range o.Saved.Notes() {
		fmt.Fprintf(p.Stderr, "exec-ext: %s\n", printable(n))
	}
	return refhost.NewGate(o), nil
}

// tellIdle warns of rules that decide on no call of these tools: most of all a denial that denies nothing.
func (f *gateFlags) tellIdle(p *Program, pool []json.RawMessage) {
	for _, idle := range refhost.IdleRules(f.deny, pool) {
		fmt.Fprintf(p.Stderr, "exec-ext: --deny %s denies nothing: %s\n", printable(idle.Rule.String()), printable(idle.Why))
	}
	for _, idle := range refhost.IdleRules(f.allow, pool) {
		fmt.Fprintf(p.Stderr, "exec-ext: --allow %s allows nothing: %s\n", printable(idle.Rule.String()), printable(idle.Why))
	}
}
