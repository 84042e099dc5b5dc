package cli

import (
	"context"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/gateway"
	"github.com/exec-ext/exec-ext/hostapi/refhost"
)

type gatewayVerb struct {
	serverFlags `embed:""`
	gateFlags   `embed:""`
	Budget      *int `placeholder:"N" help:"Token budget (characters / 4) of the catalog in the description of Exec."`
}

func (v *gatewayVerb) run(ctx context.Context, p *Program) (int, error) {
	if err := v.chosen(); err != nil {
		return codeOf(err), err
	}
	ctx, cancel := p.untilInterrupt(ctx)
	defer cancel()
	if err := v.serve(ctx, p); err != nil {
		return codeOf(err), err
	}
	return ExitOK, nil
}

func (v *gatewayVerb) serve(ctx context.Context, p *Program) error {
	g := gateway.New(p.Version)
	gate, err := v.gate(p, v.Demo, g.Ask, func() func() { return func() {} })
	if err != nil {
		return err
	}
	hub, err := v.connect(ctx, p, refhost.HubOptions{Trouble: troubleOn(p.Stderr), Changed: g.Changed})
	if err != nil {
		return err
	}
	defer hub.Close()
	pool, _ := hub.Pool(ctx)
	v.tellIdle(p, pool)
	var config any
	if v.Budget != nil {
		config = map[string]any{"catalog": map[string]any{"budgetTokens": *v.Budget}}
	}
	s, err := v.open(ctx, p, &refhost.Host{Hub: hub, Gate: gate, Permission: refhost.PermissionSeparate, Progress: g.Progress}, config)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := g.Serve(ctx, s, hub.Instructions(), p.Stdin, p.out); err != nil {
		return err
	}
	return ctx.Err()
}
