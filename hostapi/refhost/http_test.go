package refhost

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"
)

// growing is a server with one tool that adds another, and one that reports progress and goes on when heard is closed.
func growing(heard <-chan struct{}) *mcpserver.MCPServer {
	s := mcpserver.NewMCPServer("growing", "1", mcpserver.WithToolCapabilities(true))
	text := func(text string) mcpserver.ToolHandlerFunc {
		return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(text), nil
		}
	}
	s.AddTool(mcp.NewTool("grow"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddTool(mcp.NewTool("fruit"), text("ripe"))
		return mcp.NewToolResultText("grown"), nil
	})
	s.AddTool(mcp.NewTool("slow"), func(ctx context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		err := mcpserver.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": q.Params.Meta.ProgressToken, "progress": 1, "total": 2, "message": "half",
		})
		<-heard
		return mcp.NewToolResultText("slow"), err
	})
	return s
}

// transports starts one server on each transport and gives how to reach it.
func transports(t *testing.T, heard <-chan struct{}) map[string]Source {
	at := func(transport, path string, s *httptest.Server) Source {
		t.Cleanup(s.Close)
		t.Cleanup(s.CloseClientConnections)
		return Spec{Name: "g", Transport: transport, URL: s.URL + path}.Source()
	}
	return map[string]Source{
		"in process":            InProcess("g", growing(heard)),
		"streamable HTTP":       at(TransportHTTP, "/mcp", servertest.NewTestStreamableHTTPServer(growing(heard))),
		"SSE":                   at(TransportSSE, "/sse", servertest.NewTestServer(growing(heard))),
		"http on an SSE server": at(TransportHTTP, "/sse", servertest.NewTestServer(growing(heard))),
	}
}

func TestHub_FollowsListChangedOnEveryTransport(t *testing.T) {
	for name, source := range transports(t, nil) {
		t.Run(name, func(t *testing.T) {
			changed := make(chan struct{}, 1)
			h, said := connectAll(t, HubOptions{Changed: func() {
				select {
				case changed <- struct{}{}:
				default:
				}
			}}, source)
			tools, before := h.Pool(t.Context())
			if len(tools) != 2 {
				t.Fatalf("tools %s; %s", tools, said.text())
			}
			if _, err := h.Call(t.Context(), "mcp__g__grow", json.RawMessage(`{}`)); err != nil {
				t.Fatal(err)
			}
			// The opening of the stream counts as a change too, so the first one need not be the tool's.
			for late := time.After(10 * time.Second); ; {
				select {
				case <-changed:
				case <-late:
					t.Fatal("no notification came")
				}
				if tools, after := h.Pool(t.Context()); len(tools) == 3 && after != before {
					break
				}
			}
			result, err := h.Call(t.Context(), "mcp__g__fruit", json.RawMessage(`{}`))
			if err != nil || !strings.Contains(string(result), "ripe") {
				t.Errorf("the new tool: %s, %v", result, err)
			}
		})
	}
}

// A change that a server could tell nobody, because the stream for it was not open yet, is found when it opens.
func TestHub_FindsAChangeBeforeTheStreamWasOpen(t *testing.T) {
	open := make(chan struct{})
	server := growing(nil)
	inner := mcpserver.NewStreamableHTTPServer(server)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			<-open
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	changed := make(chan struct{}, 1)
	h, said := connectAll(t, HubOptions{Changed: func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}}, Spec{Name: "g", Transport: TransportHTTP, URL: s.URL}.Source())
	server.AddTool(mcp.NewTool("fruit"), nil)
	before, _ := h.Pool(t.Context())
	close(open)
	if len(before) != 2 {
		t.Fatalf("the change was heard without a stream: %s; %s", before, said.text())
	}
	select {
	case <-changed:
	case <-time.After(10 * time.Second):
		t.Fatal("the stream's opening was not noticed")
	}
	if tools, _ := h.Pool(t.Context()); len(tools) != 3 {
		t.Errorf("after the stream was opened: %s", tools)
	}
}

func TestHub_ProgressComesThroughOnEveryTransport(t *testing.T) {
	names := []string{"in process", "streamable HTTP", "SSE", "http on an SSE server"}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			heard := make(chan struct{})
			var got Progress
			h, said := connectAll(t, HubOptions{
				CallTimeout: 10 * time.Second,
				Progress:    func(p Progress) { got = p; close(heard) },
			}, transports(t, heard)[name])
			if _, err := h.Call(t.Context(), "mcp__g__slow", json.RawMessage(`{}`)); err != nil {
				t.Fatal(err, said.text())
			}
			if want := (Progress{Name: "mcp__g__slow", Progress: 1, Total: 2, Message: "half"}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestHub_LostSSEStreamEndsTheCall(t *testing.T) {
	s := growing(nil)
	arrived := make(chan struct{})
	s.AddTool(mcp.NewTool("hang"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(arrived)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	server := servertest.NewTestServer(s)
	t.Cleanup(server.Close)
	changed := make(chan struct{}, 100)
	h, _ := connectAll(t, HubOptions{Changed: func() { changed <- struct{}{} }}, Spec{Name: "g", Transport: TransportSSE, URL: server.URL + "/sse"}.Source())
	go func() {
		<-arrived
		server.CloseClientConnections()
	}()
	_, err := h.Call(t.Context(), "mcp__g__hang", json.RawMessage(`{}`))
	// The request itself may still have waited for its receipt: then it is what broke first.
	if err == nil || !strings.Contains(err.Error(), "went away during the call") && !strings.Contains(err.Error(), "or its answer was lost") {
		t.Errorf("got %v", err)
	}
	for len(h.Servers()) > 0 {
		<-changed
	}
}

func TestHub_ServerThatWasRestartedIsGreetedAgain(t *testing.T) {
	var now atomic.Pointer[mcpserver.StreamableHTTPServer]
	now.Store(mcpserver.NewStreamableHTTPServer(growing(nil), mcpserver.WithStateful(true)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.Load().ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	h, said := connectAll(t, HubOptions{}, Spec{Name: "g", Transport: TransportHTTP, URL: server.URL + "/mcp"}.Source())

	restarted := growing(nil)
	now.Store(mcpserver.NewStreamableHTTPServer(restarted, mcpserver.WithStateful(true)))
	restarted.DeleteTools("slow")
	for range 2 {
		result, err := h.Call(t.Context(), "mcp__g__grow", json.RawMessage(`{}`))
		if err != nil || !strings.Contains(string(result), "grown") {
			t.Fatalf("%s, %v %s", result, err, said.text())
		}
	}
	if tools, _ := h.Pool(t.Context()); strings.Contains(string(slices.Concat(tools...)), "mcp__g__slow") {
		t.Errorf("tools of the old server: %s", tools)
	}
}
