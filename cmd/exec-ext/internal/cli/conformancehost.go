package cli

import (
	"context"
	"errors"
	"os"

	"github.com/exec-ext/exec-ext/conformance/hostkit"
	"github.com/exec-ext/exec-ext/conformance/report"
)

type conformHostVerb struct {
	Level    string   `enum:",core,catalog,full" default:"" placeholder:"LEVEL" help:"Highest level: core, catalog or full (the default)."`
	Case     string   `placeholder:"GLOB" help:"Only checks whose ids match, such as 'host.grant.*'; several with commas."`
	Format   string   `enum:"text,tap,junit,json" default:"text" help:"How the report is written: text, tap, junit or json."`
	Baseline string   `placeholder:"FILE" help:"Checks that are known to fail, one a line; they do not count."`
	KeepWire string   `placeholder:"DIR" help:"Keep every byte, order and event of each check in a folder."`
	Jobs     int      `default:"2" help:"Checks at a time."`
	Adapter  []string `arg:"" passthrough:"" help:"The adapter with its arguments, after --."`
}

func (v *conformHostVerb) run(ctx context.Context, p *Program) (int, error) {
	ctx, cancel := p.untilInterrupt(ctx)
	defer cancel()
	var known report.Baseline
	if v.Baseline != "" {
		var err error
		if known, err = report.ReadBaseline(v.Baseline); err != nil {
			return report.ExitUsage, err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return report.ExitNoStart, err
	}
	r, err := hostkit.Run(ctx, hostkit.Options{
		Command: afterDashes(v.Adapter), Fake: []string{self, "conformance", "fake-extension"},
		Level: v.Level, Case: v.Case, Jobs: v.Jobs, KeepWire: v.KeepWire,
	})
	switch {
	case errors.Is(err, hostkit.ErrUsage):
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

// afterDashes is a command line that was kept apart by --.
func afterDashes(words []string) []string {
	if len(words) > 0 && words[0] == "--" {
		return words[1:]
	}
	return words
}

// conformFakeVerb is what the kit lets a host spawn as its extension. The words after the socket are the host's.
type conformFakeVerb struct {
	Socket string   `arg:"" help:"Where the kit listens."`
	Rest   []string `arg:"" optional:"" passthrough:"" help:"What the host appends, such as serve; it is ignored."`
}

func (v *conformFakeVerb) run(_ context.Context, p *Program) (int, error) {
	return hostkit.Fake(v.Socket, p.Stdin, p.Stdout), nil
}
