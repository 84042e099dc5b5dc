package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/hostapi/refhost"
	"github.com/exec-ext/exec-ext/hostapi/refhost/demo"
)

// One conversation with one script.
const (
	session = "cli"
	runID   = "run-1"

	kindTimeout = "timeout" // the errorKind of a run whose time was over
)

type runVerb struct {
	serverFlags `embed:""`
	gateFlags   `embed:""`
	File        string         `arg:"" optional:"" help:"File with the script, - for stdin. You are asked about calls on stdin, or with - on the terminal, if stderr is one; else calls that no rule allows are denied. With --demo the sample script is the default."`
	Expr        *string        `short:"e" name:"eval" placeholder:"CODE" help:"The script itself."`
	JSON        bool           `name:"json" xor:"output" help:"Print the result alone, as one line of JSON (the ExecResult)."`
	Quiet       bool           `short:"q" xor:"output" help:"Print the result alone, as the text a model gets."`
	Timeout     *time.Duration `placeholder:"TIME" help:"Wall time the script may take, waiting for tools and for you included, such as 90s (exit code 124). Default: ${wall}."`
}

func (v *runVerb) run(ctx context.Context, p *Program) (int, error) {
	if err := v.chosen(); err != nil {
		return codeOf(err), err
	}
	timeout, err := v.wallTime()
	if err != nil {
		return codeOf(err), err
	}
	code, err := v.script(p)
	if err != nil {
		return codeOf(err), err
	}
	out := newScreen(p.out, p.Lookup)
	around := out // what is shown before the result
	if v.JSON || v.Quiet {
		around.w = io.Discard
	}
	r := &scriptRun{program: p, out: around, live: startLive(around), timeout: timeout}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer r.live.end(hostapi.Summary{})
	r.watch(ctx, cancel)
	result, err := v.runOn(ctx, r, code)
	if err != nil {
		if r.interrupted() {
			return ExitInterrupt, context.Canceled
		}
		return codeOf(err), err
	}
	if v.JSON {
		return codeOfRun(result, r.interrupted()), printJSON(p.out, result)
	}
	around.section("result")
	out.result(result)
	return codeOfRun(result, r.interrupted()), nil
}

// runOn connects, shows what the model would see, runs the script and takes everything down again. An error means
// that the script did not run.
func (v *runVerb) runOn(ctx context.Context, r *scriptRun, code string) (hostapi.ExecResult, error) {
	var none hostapi.ExecResult
	gate, err := v.gate(r.program, v.Demo, askerOf(r.program, v.File == "-", r.live.pause), r.live.pause)
	if err != nil {
		return none, err
	}
	hub, err := v.connect(ctx, r.program, refhost.HubOptions{Trouble: troubleOn(r.program.Stderr), Progress: r.live.serverProgress})
	if err != nil {
		return none, err
	}
	defer hub.Close()
	pool, _ := hub.Pool(ctx)
	v.tellIdle(r.program, pool)
	s, err := v.open(ctx, r.program, &refhost.Host{Hub: hub, Gate: gate, Permission: refhost.PermissionSeparate, Progress: r.live.progress}, nil)
	if err != nil {
		return none, err
	}
	defer s.Close()
	if err := r.announce(ctx, s); err != nil {
		return none, err
	}
	for _, i := range hub.Instructions() {
		r.out.section("instructions of the server " + printable(i.Server))
		r.out.text(i.Text)
	}
	r.out.section("script")
	r.out.text(code)
	r.out.section("calls")
	return r.exec(ctx, s, code)
}

// wallTime is 0 for the default.
func (v *runVerb) wallTime() (time.Duration, error) {
	switch {
	case v.Timeout == nil:
		return 0, nil
	case *v.Timeout < time.Millisecond: // the unit of the limit
		return 0, usageError{fmt.Errorf("--timeout %s is too short: give some time, such as 90s", *v.Timeout)}
	}
	return *v.Timeout, nil
}

// script is what to run.
func (v *runVerb) script(p *Program) (string, error) {
	code, err := v.source(p)
	if err == nil && strings.TrimSpace(code) == "" {
		return "", usageError{errors.New("the script is empty: give it with -e, as a file or on stdin")}
	}
	return code, err
}

func (v *runVerb) source(p *Program) (string, error) {
	var data []byte
	var err error
	switch {
	case v.Expr != nil && v.File != "":
		return "", usageError{errors.New("give the script by -e or as a file, not both")}
	case v.Expr != nil:
		return *v.Expr, nil
	case v.File == "-":
		data, err = io.ReadAll(p.Stdin)
	case v.File != "":
		data, err = os.ReadFile(v.File)
	case v.Demo:
		return demo.Script, nil
	default:
		return "", usageError{errors.New("give a script: -e CODE, a file, or - for stdin")}
	}
	if err != nil {
		return "", fmt.Errorf("the script: %w", err)
	}
	return string(data), nil
}

// codeOfRun is the program's answer to how the run ended.
func codeOfRun(r hostapi.ExecResult, interrupted bool) int {
	switch {
	case interrupted:
		return ExitInterrupt
	case r.ErrorKind == kindTimeout:
		return ExitTime
	case r.IsError:
		return ExitFailed
	}
	return ExitOK
}

// printJSON writes one line, in which raw values keep their spelling.
func printJSON(w io.Writer, v any) error {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	return lines.Encode(v)
}
