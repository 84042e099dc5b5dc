package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// add gives a server a tool whose arguments are held against its schema, and says in words what does not fit. mcp-go
// has a check of its own, which answers with Go's spelling of the fault.
func add(s *mcpserver.MCPServer, t mcp.Tool, answer mcpserver.ToolHandlerFunc) {
	schema := compiled(t.RawInputSchema)
	s.AddTool(t, func(ctx context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if problem := misfit(schema, q.Params.Arguments); problem != "" {
			return mcp.NewToolResultError("The arguments of " + t.Name + " do not fit: " + problem + "."), nil
		}
		return answer(ctx, q)
	})
}

func compiled(schema json.RawMessage) *jsonschema.Schema {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	c := jsonschema.NewCompiler()
	if err == nil {
		err = c.AddResource("mem:///input", document)
	}
	if err != nil {
		panic("demo: " + err.Error()) // a constant of this package
	}
	return c.MustCompile("mem:///input")
}

// misfit is "" for arguments that fit.
func misfit(schema *jsonschema.Schema, arguments any) string {
	if arguments == nil {
		arguments = struct{}{}
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return "they are not JSON"
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return "they are not JSON"
	}
	var fault *jsonschema.ValidationError
	if !errors.As(schema.Validate(value), &fault) {
		return ""
	}
	return strings.Join(leaves(fault, message.NewPrinter(language.English)), "; ")
}

// leaves are the faults that have no others below them, each with its place.
func leaves(fault *jsonschema.ValidationError, english *message.Printer) (all []string) {
	if len(fault.Causes) == 0 {
		text := fault.ErrorKind.LocalizedString(english)
		if len(fault.InstanceLocation) > 0 {
			text = strings.Join(fault.InstanceLocation, ".") + ": " + text
		}
		return []string{text}
	}
	for _, cause := range fault.Causes {
		all = append(all, leaves(cause, english)...)
	}
	return all
}

// bind reads arguments that fit their schema. problem is the answer to those that Go cannot hold all the same: a whole
// number may be spelt so that it is none to it.
func bind(q mcp.CallToolRequest, into any) (problem *mcp.CallToolResult) {
	if err := q.BindArguments(into); err != nil {
		return mcp.NewToolResultError(fmt.Sprintf("The arguments of %s hold a number that cannot be used. Write whole numbers with digits alone.", q.Params.Name))
	}
	return nil
}
