package cli

import (
	"context"
	"fmt"

	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/trace"
)

type conformReplayVerb struct {
	File    string   `arg:"" help:"The trace; of several sessions in it the last one is played."`
	Command []string `arg:"" optional:"" passthrough:"" help:"The extension with its arguments, after --. Default: this program's serve."`
}

// run exits as every conformance verb: ExitFailed for a difference, ExitNoStart for a trace that cannot be played.
func (v *conformReplayVerb) run(ctx context.Context, p *Program) (int, error) {
	ctx, cancel := p.untilInterrupt(ctx)
	defer cancel()
	command, err := orOwnServe(v.Command)
	if err != nil {
		return report.ExitNoStart, err
	}
	difference, compared, err := trace.Replay(ctx, v.File, command, p.Stderr)
	switch {
	case err != nil:
		return report.ExitNoStart, err
	case ctx.Err() != nil:
		return ExitInterrupt, ctx.Err()
	case difference != "":
		fmt.Fprintln(p.out, difference)
		return report.ExitFailed, nil
	}
	fmt.Fprintf(p.out, "no difference in %d messages\n", compared)
	return report.ExitPassed, nil
}
