package cli

import (
	"context"
	"os"

	"github.com/exec-ext/exec-ext/conformance/hostkit"
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/suite"
)

type conformHostVerb struct {
	checksFlags
	Adapter []string `arg:"" passthrough:"" help:"The adapter with its arguments, after --."`
}

func (v *conformHostVerb) run(ctx context.Context, p *Program) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return report.ExitNoStart, err
	}
	return v.check(ctx, p, v.Adapter, func(ctx context.Context, o suite.Options) (*report.Report, error) {
		return hostkit.Run(ctx, hostkit.Options{Options: o, Fake: []string{self, "conformance", "fake-extension"}})
	})
}

// conformFakeVerb is what the kit lets a host spawn as its extension. The words after the socket are the host's.
type conformFakeVerb struct {
	Socket string   `arg:"" help:"Where the kit listens."`
	Rest   []string `arg:"" optional:"" passthrough:"" help:"What the host appends, such as serve; it is ignored."`
}

func (v *conformFakeVerb) run(_ context.Context, p *Program) (int, error) {
	return hostkit.Fake(v.Socket, p.Stdin, p.Stdout), nil
}
