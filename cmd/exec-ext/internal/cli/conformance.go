package cli

import (
	"context"
	"errors"

	"github.com/exec-ext/exec-ext/conformance/extkit"
	"github.com/exec-ext/exec-ext/conformance/report"
)

// conformanceVerb holds programs against the protocol. Its exit codes are those of the package report.
type conformanceVerb struct {
	Extension conformExtensionVerb `cmd:"" help:"Drive any extension command as a fake host and report what does not hold."`
	Host      conformHostVerb      `cmd:"" help:"Drive any host through an adapter as a fake, hostile extension and report what does not hold."`
	Replay    conformReplayVerb    `cmd:"" help:"Play a trace of serve --trace-file again and show the first difference."`
	Soak      conformSoakVerb      `cmd:"" help:"Let many sessions run mixed scripts for a long time, and look whether anything is lost or grows."`
	Fake      conformFakeVerb      `cmd:"" name:"fake-extension" hidden:"" help:"Be the fake extension of a host under test."`
}

type conformExtensionVerb struct {
	Level    string   `enum:",core,catalog,full" default:"" placeholder:"LEVEL" help:"Highest level: core, catalog or full (the default)."`
	Case     string   `placeholder:"GLOB" help:"Only checks whose ids match, such as 'ext.framing.*'; several with commas."`
	Framing  string   `enum:",ndjson,content-length,both" default:"" placeholder:"F" help:"ndjson, content-length or both, for every check. By default both where framing matters."`
	Format   string   `enum:"text,tap,junit,json" default:"text" help:"How the report is written: text, tap, junit or json."`
	Baseline string   `placeholder:"FILE" help:"Checks that are known to fail, one a line; they do not count."`
	KeepWire string   `placeholder:"DIR" help:"Keep every byte of each connection in a folder."`
	Jobs     int      `default:"2" help:"Checks at a time."`
	Command  []string `arg:"" passthrough:"" help:"The extension with its arguments, after --."`
}

func (v *conformExtensionVerb) run(ctx context.Context, p *Program) (int, error) {
	ctx, cancel := p.untilInterrupt(ctx)
	defer cancel()
	var known report.Baseline
	if v.Baseline != "" {
		var err error
		if known, err = report.ReadBaseline(v.Baseline); err != nil {
			return report.ExitUsage, err
		}
	}
	r, err := extkit.Run(ctx, extkit.Options{
		Command: afterDashes(v.Command), Level: v.Level, Case: v.Case, Framing: v.Framing, Jobs: v.Jobs, KeepWire: v.KeepWire,
	})
	switch {
	case ctx.Err() != nil:
		return ExitInterrupt, err
	case errors.Is(err, extkit.ErrUsage):
		return report.ExitUsage, err
	case err != nil:
		return report.ExitNoStart, err
	}
	r.Apply(known)
	if err := r.Write(p.out, v.Format); err != nil {
		return report.ExitNoStart, err
	}
	return r.ExitCode(), nil
}
