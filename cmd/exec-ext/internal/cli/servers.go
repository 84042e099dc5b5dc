package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/serve"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/hostapi/refhost"
	"github.com/exec-ext/exec-ext/hostapi/refhost/demo"
)

// serverFlags choose the MCP servers.
type serverFlags struct {
	Demo           bool          `xor:"servers" help:"Use two embedded demo servers, an issue tracker and a calendar."`
	MCPConfig      string        `name:"mcp-config" xor:"servers" placeholder:"FILE" help:"Use the servers of a file with the member mcpServers or servers."`
	ConnectTimeout time.Duration `default:"30s" help:"How long one server may take to start and list its tools."`
	CallTimeout    time.Duration `default:"5m" help:"How long a server may be silent during a call. 0: as long as the script may run."`
	LogLevel       logLevel      `enum:"trace,debug,info,warn,error,disabled" default:"warn" help:"Least level of the log on stderr."`
}

// chosen is an error for ExitUsage if no servers are named.
func (f *serverFlags) chosen() error {
	if !f.Demo && f.MCPConfig == "" {
		return usageError{errors.New("name the MCP servers: --mcp-config FILE, or --demo for two embedded ones")}
	}
	return nil
}

func (f *serverFlags) sources(p *Program) ([]refhost.Source, error) {
	if f.Demo {
		return demo.Sources(), nil
	}
	specs, notes, err := refhost.ReadConfig(f.MCPConfig, p.Lookup)
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		fmt.Fprintf(p.Stderr, "exec-ext: %s\n", printable(n))
	}
	var sources []refhost.Source
	for _, s := range specs {
		sources = append(sources, s.Source())
	}
	return sources, nil
}

// connect starts the servers. It is an error if there were some and none could be connected.
func (f *serverFlags) connect(ctx context.Context, p *Program, o refhost.HubOptions) (*refhost.Hub, error) {
	sources, err := f.sources(p)
	if err != nil {
		return nil, err
	}
	o.Version, o.ConnectTimeout, o.CallTimeout = p.Version, f.ConnectTimeout, f.CallTimeout
	hub := refhost.Connect(ctx, sources, o)
	if err := ctx.Err(); err != nil {
		hub.Close()
		return nil, err
	}
	if len(sources) > 0 && len(hub.Servers()) == 0 {
		hub.Close()
		return nil, errors.New("no MCP server could be connected")
	}
	return hub, nil
}

// snapshot is the pool of a file, or of the chosen servers at this moment, which are not needed any more then. It is nil
// if neither is named.
func (f *serverFlags) snapshot(ctx context.Context, p *Program, file string) (*hostapi.PoolSnapshot, error) {
	switch {
	case file != "":
		return readPool(file)
	case f.chosen() != nil:
		return nil, nil
	}
	hub, err := f.connect(ctx, p, refhost.HubOptions{Trouble: troubleOn(p.Stderr)})
	if err != nil {
		return nil, err
	}
	defer hub.Close()
	tools, revision := hub.Pool(ctx)
	return &hostapi.PoolSnapshot{Status: "ok", Tools: tools, Revision: revision}, nil
}

// open starts the extension at the other end of a pipe. config may be nil.
func (f *serverFlags) open(ctx context.Context, p *Program, h *refhost.Host, config any) (*refhost.Session, error) {
	log := f.LogLevel.logger(p.Stderr)
	raw, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	extension := func(ctx context.Context, in io.Reader, out io.Writer) int {
		return serve.Serve(ctx, in, out, serve.Options{Version: p.Version, Log: log})
	}
	return refhost.Open(ctx, extension, h, refhost.SessionOptions{Version: p.Version, Config: raw, Log: log})
}

// asker is the question to the user; nil if nobody can be asked.
type asker = func(context.Context, refhost.Question) (refhost.Answer, error)

// A usageError is one of the command line; any other before the script has run is of the configuration.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// codeOf is the exit code of an error before the script has run.
func codeOf(err error) int {
	var u usageError
	switch {
	case errors.As(err, &u):
		return ExitUsage
	case errors.Is(err, context.Canceled):
		return ExitInterrupt
	}
	return ExitConfig
}

// troubleOn reports servers that are left out.
func troubleOn(w io.Writer) func(string, error) {
	return func(server string, err error) {
		fmt.Fprintf(w, "exec-ext: the MCP server %q is left out: %s\n", server, err)
	}
}
