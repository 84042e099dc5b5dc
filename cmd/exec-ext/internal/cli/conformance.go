package cli

import (
	"context"
	"errors"
	"os"

	"github.com/exec-ext/exec-ext/conformance/extkit"
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/suite"
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
	checksFlags
	Framing string   `enum:",ndjson,content-length,both" default:"" placeholder:"F" help:"ndjson, content-length or both, for every check. By default both where framing matters."`
	Command []string `arg:"" passthrough:"" help:"The extension with its arguments, after --."`
}

func (v *conformExtensionVerb) run(ctx context.Context, p *Program) (int, error) {
	return v.check(ctx, p, v.Command, func(ctx context.Context, o suite.Options) (*report.Report, error) {
		return extkit.Run(ctx, extkit.Options{Options: o, Framing: v.Framing})
	})
}

// checksFlags are those of both kits.
type checksFlags struct {
	Level    string `enum:",core,catalog,full" default:"" placeholder:"LEVEL" help:"Highest level: core, catalog or full (the default)."`
	Case     string `placeholder:"GLOB" help:"Only checks whose ids match, such as '*.hostile.*'; several with commas."`
	Format   string `enum:"text,tap,junit,json" default:"text" help:"How the report is written: text, tap, junit or json."`
	Baseline string `placeholder:"FILE" help:"Checks that are known to fail, one a line; they do not count."`
	KeepWire string `placeholder:"DIR" help:"Keep every byte that passes in each check in a folder."`
	Jobs     int    `default:"2" help:"Checks at a time."`
}

// check runs a kit on a command, writes its report to stdout and says meanwhile on stderr how far it is.
func (f *checksFlags) check(ctx context.Context, p *Program, command []string, kit func(context.Context, suite.Options) (*report.Report, error)) (int, error) {
	ctx, cancel := p.untilInterrupt(ctx)
	defer cancel()
	var known report.Baseline
	if f.Baseline != "" {
		var err error
		if known, err = report.ReadBaseline(f.Baseline); err != nil {
			return report.ExitNoStart, err
		}
	}
	r, err := kit(ctx, suite.Options{
		Command: afterDashes(command), Level: f.Level, Case: f.Case, Jobs: f.Jobs, KeepWire: f.KeepWire, Progress: p.Stderr,
	})
	switch {
	case ctx.Err() != nil:
		return ExitInterrupt, err
	case errors.Is(err, suite.ErrUsage):
		return report.ExitUsage, err
	case err != nil:
		return report.ExitNoStart, err
	}
	r.Apply(known)
	if err := r.Write(p.out, f.Format); err != nil {
		return report.ExitNoStart, err
	}
	return r.ExitCode(), nil
}

// orOwnServe is the command that was given, or else this program's serve.
func orOwnServe(words []string) ([]string, error) {
	if command := afterDashes(words); len(command) > 0 {
		return command, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return []string{self, "serve", "--log-level", "error"}, nil
}

// afterDashes is a command line that was kept apart by --.
func afterDashes(words []string) []string {
	if len(words) > 0 && words[0] == "--" {
		return words[1:]
	}
	return words
}
