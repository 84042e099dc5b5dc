package hostkit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/exec-ext/exec-ext/hostapi/refhost"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// stubs are the MCP servers and the person of a host under test.
type stubs struct {
	h *adapterHost

	mu      sync.Mutex
	servers map[string]*mcpserver.MCPServer // guarded by mu
	names   []string                        // of the leaves; guarded by mu
}

// connect makes a server for each group of tools: one whose leaves fail is reached over HTTP and hangs up.
func (s *stubs) connect(ctx context.Context) *refhost.Hub {
	s.servers = map[string]*mcpserver.MCPServer{"srv": newServer("srv")}
	for _, raw := range s.h.start.Tools {
		s.add(raw)
	}
	var sources []refhost.Source
	for name, server := range s.servers {
		if !s.fails(name) {
			sources = append(sources, refhost.InProcess(name, server))
			continue
		}
		inner := mcpserver.NewStreamableHTTPServer(server)
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			body, err := io.ReadAll(q.Body)
			if err != nil || bytes.Contains(body, []byte(`"tools/call"`)) {
				panic(http.ErrAbortHandler)
			}
			q.Body = io.NopCloser(bytes.NewReader(body))
			inner.ServeHTTP(w, q)
		}))
		sources = append(sources, refhost.Spec{Name: name, Transport: refhost.TransportHTTP, URL: web.URL}.Source())
	}
	return refhost.Connect(ctx, sources, refhost.HubOptions{Trouble: func(server string, err error) {
		s.h.emit("note", map[string]any{"text": server + ": " + err.Error()})
	}})
}

func newServer(name string) *mcpserver.MCPServer {
	return mcpserver.NewMCPServer(name, "1", mcpserver.WithToolCapabilities(true))
}

func (s *stubs) fails(server string) bool {
	for leaf, what := range s.h.start.Leaves {
		if string(what) == `"fail"` && strings.HasPrefix(leaf, "mcp__"+server+"__") {
			return true
		}
	}
	return false
}

// add declares one tool at its server.
func (s *stubs) add(raw json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var t struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		panic(err)
	}
	parts := strings.SplitN(t.Name, "__", 3)
	if s.servers[parts[1]] == nil {
		s.servers[parts[1]] = newServer(parts[1])
	}
	s.names = append(s.names, t.Name)
	s.servers[parts[1]].AddTool(mcp.NewToolWithRawSchema(parts[2], t.Description, t.InputSchema), s.leaf(t.Name))
}

// replace takes all tools away and declares others.
func (s *stubs) replace(tools []json.RawMessage) {
	s.mu.Lock()
	old := s.names
	s.names = nil
	s.mu.Unlock()
	for _, name := range old {
		parts := strings.SplitN(name, "__", 3)
		s.servers[parts[1]].DeleteTools(parts[2])
	}
	for _, raw := range tools {
		s.add(raw)
	}
}

// leaf is what a tool does when it is executed.
func (s *stubs) leaf(name string) mcpserver.ToolHandlerFunc {
	return func(ctx context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.h.emit("called", map[string]any{"name": name, "arguments": q.GetRawArguments()})
		what := s.h.start.Leaves[name]
		if string(what) == `"hang"` {
			<-ctx.Done()
			s.h.emit("aborted", map[string]any{"name": name})
			return nil, ctx.Err()
		}
		return mcp.ParseCallToolResult(&what)
	}
}

// ask is the person.
func (s *stubs) ask(ctx context.Context, q refhost.Question) (refhost.Answer, error) {
	s.h.emit("asked", map[string]any{"name": q.Name, "arguments": q.Arguments})
	switch said := s.h.start.Rules.Ask[q.Name]; {
	case said == "yes", said == "no" && s.h.fault == "no-means-yes":
		return refhost.AnswerOnce, nil
	case said == "never":
		<-ctx.Done()
		return refhost.AnswerNo, ctx.Err()
	}
	return refhost.AnswerNo, nil
}
