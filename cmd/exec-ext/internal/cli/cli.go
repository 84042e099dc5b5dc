// Package cli is the command line: one verb for each way to use exec-ext. Verbs that work with MCP servers are hosts
// like any other; they speak to the extension over an in-memory pipe.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/alecthomas/kong"
	"github.com/rs/zerolog"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/config"
	"github.com/exec-ext/exec-ext/hostapi"
)

// A Program is the surroundings of one command line.
type Program struct {
	Version    string
	Stdin      *os.File
	Stdout     *os.File
	Stderr     *os.File
	Lookup     func(string) (string, bool) // environment variables
	ConfigDir  func() (string, error)      // of the user
	Interrupts <-chan os.Signal            // Ctrl-C and requests to end

	out         *output     // Stdout, for all but the protocol; made by Main
	interrupted atomic.Bool // an interrupt has ended the context of untilInterrupt
}

// untilInterrupt gives a context that the first interrupt ends.
func (p *Program) untilInterrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-p.Interrupts:
			p.interrupted.Store(true)
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

type grammar struct {
	Version     kong.VersionFlag `help:"Print the version."`
	Run         runVerb          `cmd:"" help:"Run a script against MCP servers, as a model would."`
	Catalog     catalogVerb      `cmd:"" help:"Print what a model would read about the tools."`
	Plan        planVerb         `cmd:"" help:"Explain what a turn would declare and announce, and why."`
	Conformance conformanceVerb  `cmd:"" help:"Hold an extension or a host against the protocol."`
	Serve       serveVerb        `cmd:"" help:"Speak the protocol with a host on stdin and stdout."`
	Gateway     gatewayVerb      `cmd:"" help:"Be an MCP server on stdin and stdout that folds other MCP servers into the tool Exec."`
	Schema      schemaVerb       `cmd:"" help:"Print the JSON Schemas of all messages."`
	Ver         versionVerb      `cmd:"" name:"version" help:"Print the version."`
}

// A verb does its work and gives the exit code. The error, if any, is for the user.
type verb interface {
	run(ctx context.Context, p *Program) (int, error)
}

// Main runs one command line and gives the exit code, which is not ExitOK if something could not be written to stdout.
func Main(ctx context.Context, p *Program, args []string) int {
	p.out = &output{file: p.Stdout}
	code := p.command(ctx, args)
	if err := p.out.failure(); err != nil {
		fmt.Fprintf(p.Stderr, "exec-ext: the output could not be written: %s\n", err)
		if code == ExitOK {
			code = ExitFailed
		}
	}
	return code
}

// command parses the words and runs the verb.
func (p *Program) command(ctx context.Context, args []string) int {
	var g grammar
	helped := false
	parser, err := kong.New(&g,
		kong.Name("exec-ext"),
		kong.Description("Folds all MCP tools of an agent into one tool that runs scripts. Try: exec-ext run --demo"),
		kong.Vars{"version": p.Version, "wall": defaultWall().String()},
		kong.Writers(p.out, p.Stderr),
		kong.Exit(func(int) { helped = true }), // after --help; the parser goes on, we do not
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Help(help))
	if err != nil {
		panic(err) // the grammar itself is wrong
	}
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	parsed, err := parser.Parse(args)
	switch {
	case helped, p.out.failure() != nil: // the help may be what could not be written
		return ExitOK
	case err != nil:
		var fault *kong.ParseError
		if errors.As(err, &fault) {
			parser.Stdout = p.Stderr
			_ = fault.Context.PrintUsage(true)
		}
		fmt.Fprintf(p.Stderr, "\nexec-ext: %s\n", faultText(err))
		return ExitUsage
	}
	code, err := parsed.Selected().Target.Addr().Interface().(verb).run(ctx, p)
	if p.interrupted.Load() && code != ExitOK { // whatever became of the work that was broken off
		code = ExitInterrupt
	}
	switch {
	case err != nil && code == ExitInterrupt, errors.Is(err, context.Canceled):
		fmt.Fprintln(p.Stderr, "exec-ext: interrupted")
	case err != nil && p.out.failure() == nil: // else Main tells
		fmt.Fprintf(p.Stderr, "exec-ext: %s\n", err)
	}
	return code
}

// help is the parser's own, and for the program as a whole the exit codes. A usage error shows the summary alone.
func help(o kong.HelpOptions, c *kong.Context) error {
	err := kong.DefaultHelpPrinter(o, c)
	if err == nil && c.Selected() == nil && !o.Summary {
		fmt.Fprintln(c.Stdout)
		printExitCodes(c.Stdout)
	}
	return err
}

// defaultWall is how long a script may take if nobody says otherwise.
func defaultWall() time.Duration {
	return time.Duration(config.Defaults().Limits.WallMs) * time.Millisecond
}

// logFlag is the level of the log, which is JSON lines on stderr.
type logLevel string

func (l logLevel) logger(w io.Writer) zerolog.Logger {
	level, err := zerolog.ParseLevel(string(l))
	if err != nil {
		level = zerolog.WarnLevel // the parser allows known levels only
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

type versionVerb struct{}

func (versionVerb) run(_ context.Context, p *Program) (int, error) {
	_, err := fmt.Fprintln(p.out, p.Version)
	return ExitOK, err
}

type schemaVerb struct{}

func (schemaVerb) run(_ context.Context, p *Program) (int, error) {
	schemas, err := hostapi.Schemas()
	if err != nil {
		return ExitFailed, err
	}
	_, err = p.out.Write(schemas)
	return ExitOK, err
}
