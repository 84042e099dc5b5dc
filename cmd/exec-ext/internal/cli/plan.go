package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/exec-ext/exec-ext/announce"
	"github.com/exec-ext/exec-ext/catalog"
	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/config"
	"github.com/exec-ext/exec-ext/hostapi"
)

// planVerb shows the author of a host what turn/prepare would answer, and why. It needs no sandbox and no model, and
// servers only for their tools: the answer is a function of what the flags name.
type planVerb struct {
	serverFlags `embed:""`

	History   string `placeholder:"FILE" help:"The texts of the meta messages still in the context, oldest first: a JSON array of strings. Without it there are none."`
	Pool      string `xor:"servers" placeholder:"FILE" help:"The tools: a pool snapshot, or an array of tools with flat names. Without it and without servers the pool is unavailable."`
	Config    string `placeholder:"FILE" help:"The config of initialize, as JSON."`
	Exec      string `enum:"on,not_registered,denied,excluded" default:"on" help:"What the host's own rules say of Exec: on, not_registered, denied or excluded."`
	NoChannel bool   `help:"The host cannot add messages to the conversation."`
	NoCalls   bool   `help:"The host does not serve host/callTool."`
}

func (v *planVerb) run(ctx context.Context, p *Program) (int, error) {
	ctx, cancel := p.untilInterrupt(ctx)
	defer cancel()
	situation, warnings, err := v.situation(ctx, p)
	if err != nil {
		return codeOf(err), err
	}
	for _, w := range warnings {
		fmt.Fprintf(p.Stderr, "exec-ext: %s\n", printable(w))
	}
	newScreen(p.out, p.Lookup).text(announce.Explain(situation))
	return ExitOK, nil
}

// situation is put together from the files the way serve does it from messages.
func (v *planVerb) situation(ctx context.Context, p *Program) (announce.Situation, []string, error) {
	s := announce.Situation{HostCanCall: !v.NoCalls, ChannelOpen: !v.NoChannel}
	effective, warnings, err := readConfig(v.Config)
	if err != nil {
		return s, nil, err
	}
	s.Enabled = effective.EnableExec.On()
	s.Render = catalog.Options{
		BudgetTokens: int(effective.Catalog.BudgetTokens), Depth: int(effective.Catalog.Depth),
		DescriptionChars: int(effective.Catalog.DescriptionChars),
	}
	if s.History, err = readHistory(v.History); err != nil {
		return s, nil, err
	}
	var snapshot hostapi.PoolSnapshot
	read, err := v.snapshot(ctx, p, v.Pool)
	if err != nil {
		return s, nil, err
	}
	if read != nil {
		snapshot = *read
		if snapshot.Status != "unavailable" {
			pool, leftOut := catalog.NewPool(catalog.Snapshot{
				Tools: snapshot.Tools, Deny: slices.Concat(snapshot.Deny, effective.DisallowedTools)})
			s.Pool, warnings = pool, append(warnings, leftOut...)
		}
	}
	s.Exec = announce.StateOf(announce.ExecState(v.Exec), snapshot.Deny, effective.DisallowedTools)
	return s, warnings, nil
}

// readConfig also gives sentences about members without effect and numbers out of bounds.
func readConfig(path string) (effective hostapi.Config, told []string, err error) {
	if path == "" {
		return config.Defaults(), nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return effective, nil, fmt.Errorf("the config: %w", err)
	}
	layers, err := config.New(data)
	if err != nil {
		return effective, nil, fmt.Errorf("the config %s: %w", path, err)
	}
	for _, u := range config.Unknown(data) {
		told = append(told, fmt.Sprintf("the config %s: %s", path, u))
	}
	effective, clamped := layers.Effective()
	for _, c := range clamped {
		told = append(told, fmt.Sprintf("the config %s: %s", path, clampedText(c)))
	}
	return effective, told, nil
}

func readHistory(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the history: %w", err)
	}
	var texts []string
	if json.Unmarshal(data, &texts) != nil {
		return nil, fmt.Errorf("the history %s must be a JSON array of strings, the texts of meta messages and not the messages themselves", path)
	}
	return texts, nil
}
