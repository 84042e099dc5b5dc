// Package demo has two small MCP servers with a believable job, an issue tracker and a calendar, and a script that
// works with both. They run in process, keep their data in memory, and give the same answers every time.
//
// Between them they show what real servers do: nested input schemas, structured content and text only, an image, a
// call that fails, one that takes its time, and a tool name that is no identifier.
package demo

import (
	_ "embed"
	"encoding/json"

	"github.com/exec-ext/exec-ext/hostapi/refhost"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// Script is the sample script.
//
//go:embed sample.ts
var Script string

// Sources are the two servers, with fresh data.
func Sources() []refhost.Source {
	return []refhost.Source{
		refhost.InProcess("tracker", newTracker().server()),
		refhost.InProcess("calendar", newCalendar().server()),
	}
}

func newServer(name string) *mcpserver.MCPServer {
	return mcpserver.NewMCPServer(name, "1.0.0", mcpserver.WithToolCapabilities(true))
}

// declare describes a tool; output "" means that it answers with text.
func declare(name, description, input, output string) mcp.Tool {
	t := mcp.NewToolWithRawSchema(name, description, json.RawMessage(input))
	if output != "" {
		t.RawOutputSchema = json.RawMessage(output)
	}
	return t
}

// structured answers with a value and, as the MCP specification asks, the same as text.
func structured(v any) (*mcp.CallToolResult, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultStructured(v, string(text)), nil
}
