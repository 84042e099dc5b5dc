// Package gateway folds MCP servers into one MCP server with the tool Exec, for agents that speak MCP and know nothing
// of this project. It is the MCP end of a host: the pool, the rules and the funnel are refhost's, the script runs in
// the extension behind the pipe.
//
// An MCP client has no channel for announcements, so the catalog stands in the tool's description, and the tool is
// announced as changed when the pool changes. A question to the user goes to the client as an elicitation.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/hostapi/refhost"
)

// session names the one conversation behind a gateway.
const session = "gateway"

// A Gateway is one MCP server on stdio. Ask, Progress and Changed are what the host behind it is to be made with.
type Gateway struct {
	version string
	server  *mcpserver.MCPServer // made by open
	changed chan struct{}        // holds one token while the pool may be another one

	mu     sync.Mutex
	client mcpserver.ClientSession // guarded by mu: who called last
	runs   map[string]mcp.ProgressToken
	last   int    // guarded by mu: number of the last run
	shown  string // the description in force; used by one goroutine only
}

// New makes a gateway of this version of exec-ext.
func New(version string) *Gateway {
	return &Gateway{version: version, changed: make(chan struct{}, 1), runs: map[string]mcp.ProgressToken{}}
}

// Changed says that the pool may be another one. It never blocks.
func (g *Gateway) Changed() {
	select {
	case g.changed <- struct{}{}:
	default:
	}
}

// Serve speaks MCP on in and out until in or ctx ends. s is the extension with the host behind it; the instructions
// of the servers are handed on in the gateway's own.
func (g *Gateway) Serve(ctx context.Context, s *refhost.Session, of []refhost.Instructions, in io.Reader, out io.Writer) error {
	if err := g.open(ctx, s, of); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var followed sync.WaitGroup
	followed.Go(func() { g.follow(ctx, s) })
	stdio := mcpserver.NewStdioServer(g.server)
	stdio.SetErrorLogger(slog.NewLogLogger(slog.DiscardHandler, slog.LevelError))
	open := newOpenRequests()
	err := stdio.Listen(ctx, open.reader(ctx, in), open.writer(out))
	stop()
	followed.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// open makes the server and declares Exec for the first time.
func (g *Gateway) open(ctx context.Context, s *refhost.Session, of []refhost.Instructions) error {
	text := textInstructions
	for _, i := range of {
		text += fmt.Sprintf(textInstructionsOf, i.Server, i.Text)
	}
	g.server = mcpserver.NewMCPServer("exec-ext", g.version,
		mcpserver.WithToolCapabilities(true), mcpserver.WithInstructions(text))
	return g.declare(ctx, s)
}

// follow declares anew after each change of the pool.
func (g *Gateway) follow(ctx context.Context, s *refhost.Session) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-g.changed:
			_ = g.declare(ctx, s) // the extension is gone: the calls will say so
		}
	}
}

// declare makes Exec what turn/prepare says: a tool with the catalog in its description, or none.
func (g *Gateway) declare(ctx context.Context, s *refhost.Session) error {
	turn, err := s.TurnPrepare(ctx, hostapi.TurnPrepareParams{SessionID: session, Channel: "absent"})
	if err != nil {
		return err
	}
	if turn.Mode != "exec" {
		g.shown = ""
		g.server.DeleteTools(s.Hello.ExecTool.Name)
		return nil
	}
	listing, err := s.CatalogRender(ctx, hostapi.CatalogRenderParams{SessionID: session})
	if err != nil {
		return err
	}
	declared := s.Hello.ExecTool
	if turn.ExecTool != nil {
		declared = *turn.ExecTool
	}
	description := strings.Replace(declared.Description, textListedElsewhere, textListedBelow, 1) + "\n\n" + listing.Text
	if description == g.shown {
		return nil
	}
	g.shown = description
	tool := mcp.NewToolWithRawSchema(declared.Name, description, declared.InputSchema)
	if err := json.Unmarshal(declared.Annotations, &tool.Annotations); err != nil {
		return fmt.Errorf("annotations of %s: %w", declared.Name, err)
	}
	g.server.AddTool(tool, func(ctx context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return g.exec(ctx, s, q)
	})
	return nil
}

// exec runs one script. The end of ctx, by the client's cancel, ends it.
func (g *Gateway) exec(ctx context.Context, s *refhost.Session, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	id := g.begin(mcpserver.ClientSessionFromContext(ctx), q.Params.Meta)
	defer g.finish(id)
	r, err := s.ExecRun(ctx, hostapi.ExecRunParams{SessionID: session, RunID: id, Input: q.Params.RawArguments})
	if err != nil {
		return nil, err
	}
	result := &mcp.CallToolResult{IsError: r.IsError}
	for _, raw := range r.Content {
		block, err := mcp.UnmarshalContent(raw)
		if err != nil {
			return nil, err
		}
		result.Content = append(result.Content, block)
	}
	return result, nil
}

func (g *Gateway) begin(client mcpserver.ClientSession, meta *mcp.Meta) (id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.client = client
	g.last++
	id = fmt.Sprintf("run-%d", g.last)
	if meta != nil && meta.ProgressToken != nil {
		g.runs[id] = meta.ProgressToken
	}
	return id
}

func (g *Gateway) finish(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.runs, id)
}

// Progress hands the live summary to a client that asked for progress.
func (g *Gateway) Progress(p hostapi.ExecProgressParams) {
	g.mu.Lock()
	token, ok := g.runs[p.RunID]
	client := g.client
	g.mu.Unlock()
	if !ok || client == nil {
		return
	}
	// A client that reads slowly misses some of it: the result alone counts.
	_ = g.server.SendNotificationToSpecificClient(client.SessionID(), string(mcp.MethodNotificationProgress), map[string]any{
		"progressToken": token, "progress": p.Seq,
		"message": strings.ReplaceAll(p.Summary.Text, "\n", " · "),
	})
}
