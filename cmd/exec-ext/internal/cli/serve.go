package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"github.com/rs/zerolog/diode"
	"golang.org/x/term"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/serve"
	"github.com/exec-ext/exec-ext/conformance/trace"
	"github.com/exec-ext/exec-ext/rpc"
)

type serveVerb struct {
	Framing          string   `enum:"auto,content-length,ndjson" default:"auto" help:"How messages are framed: auto, content-length or ndjson."`
	LogLevel         logLevel `enum:"trace,debug,info,warn,error,disabled" default:"info" help:"Least level of the log on stderr."`
	RequireIsolation string   `enum:",full,partial,process" default:"" placeholder:"LEVEL" help:"Refuse to start (exit code 3) if this machine gives less: full, partial or process."`
	TryUnproven      bool     `help:"Use isolation layers that have not been proven on this platform."`
	TraceFile        string   `placeholder:"FILE" help:"Add every message to a file, for a bug report. It will hold scripts, arguments and results."`
	TraceRedact      bool     `help:"Replace contents in the trace file by their lengths."`
}

func (v *serveVerb) run(ctx context.Context, p *Program) (int, error) {
	if v.TraceRedact && v.TraceFile == "" {
		return ExitUsage, usageError{errors.New("--trace-redact needs --trace-file FILE: without it nothing is traced")}
	}
	ctx, cancel := p.untilInterrupt(ctx)
	defer cancel()
	if term.IsTerminal(int(p.Stdin.Fd())) {
		fmt.Fprintln(p.Stderr, "exec-ext: serve waits for a program that speaks the protocol; to try exec-ext by hand: exec-ext run --demo")
	}
	// A host that closes our output is noticed as an error of writing, not as the end of the process.
	signal.Ignore(syscall.SIGPIPE)
	stderr, flush := looseWriter(p.Stderr)
	defer flush()
	var record func(dir string, frame []byte)
	if v.TraceFile != "" {
		r, err := trace.Open(v.TraceFile, p.Version, v.TraceRedact)
		if err != nil {
			return ExitConfig, err
		}
		defer r.Close()
		record = r.Trace
	}
	code := serve.Serve(ctx, p.Stdin, p.Stdout, serve.Options{
		Version:          p.Version,
		Framing:          rpc.Framing(v.Framing),
		RequireIsolation: v.RequireIsolation,
		TryUnproven:      v.TryUnproven,
		Trace:            record,
		Log:              v.LogLevel.logger(stderr),
	})
	return code, nil
}

// linesKept is how many log lines may wait for a host that does not drain stderr; older ones are then overwritten.
const linesKept = 1024

// flushTime is how long the end waits for such a host.
const flushTime = time.Second

// looseWriter writes lines in the background, so that the log never stops the work.
func looseWriter(w io.Writer) (loose io.Writer, flush func()) {
	lines := diode.NewWriter(struct{ io.Writer }{w}, linesKept, 0, nil)
	return lines, func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = lines.Close()
		}()
		select {
		case <-done:
		case <-time.After(flushTime):
		}
	}
}
