package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/soak"
)

type conformSoakVerb struct {
	Duration time.Duration `default:"10m" help:"How long."`
	Sessions int           `default:"16" help:"Sessions at a time."`
	Seed     uint64        `help:"Which scripts, faults and cancels, in which order; 0 draws one. The report names it."`
	Command  []string      `arg:"" optional:"" passthrough:"" help:"The extension with its arguments, after --. Default: this program's serve."`
}

// run exits as every conformance verb: ExitFailed if something was lost, left behind or grew.
func (v *conformSoakVerb) run(ctx context.Context, p *Program) (int, error) {
	ctx, cancel := p.untilInterrupt(ctx)
	defer cancel()
	if v.Sessions < 1 || v.Duration <= 0 {
		return report.ExitUsage, fmt.Errorf("at least one session and some time are needed")
	}
	command, err := orOwnServe(v.Command)
	if err != nil {
		return report.ExitNoStart, err
	}
	if v.Seed == 0 {
		v.Seed = uint64(time.Now().UnixNano())
	}
	figures, err := soak.Run(ctx, soak.Options{
		Command: command, Duration: v.Duration, Sessions: v.Sessions, Seed: v.Seed, Stderr: p.Stderr, Progress: p.out,
	})
	if err != nil {
		return report.ExitNoStart, err
	}
	fmt.Fprint(p.out, figures)
	if len(figures.Problems) > 0 {
		return report.ExitFailed, nil
	}
	return report.ExitPassed, nil
}
