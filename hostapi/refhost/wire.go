package refhost

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// An answer is what a server sent for one request, before mcp-go's types lost some of it: key order, number spelling
// and members of a tool, and results with content types that the types do not know.
type answer struct {
	result json.RawMessage
	err    *mcp.JSONRPCErrorDetails
}

type answerKey struct{}

// withAnswer gives a context under which the next request's answer is kept in a.
func withAnswer(ctx context.Context, a *answer) context.Context {
	return context.WithValue(ctx, answerKey{}, a)
}

// recorder is a transport that keeps raw answers for those who ask by withAnswer, and hands mcp-go's client only
// what its types can hold.
type recorder struct{ transport.Interface }

// record wraps a transport. The client tells HTTP from the others by SetProtocolVersion, so only theirs has it.
func record(t transport.Interface) transport.Interface {
	if h, ok := t.(transport.HTTPConnection); ok {
		return httpRecorder{recorder{t}, h}
	}
	return recorder{t}
}

type httpRecorder struct {
	recorder
	http transport.HTTPConnection
}

func (h httpRecorder) SetProtocolVersion(v string) { h.http.SetProtocolVersion(v) }

// RequiresLegacyProtocol is what the client asks a transport that may listen by GET.
func (r recorder) RequiresLegacyProtocol() bool {
	t, ok := r.Interface.(interface{ RequiresLegacyProtocol() bool })
	return ok && t.RequiresLegacyProtocol()
}

// SetRequestHandler lets a server's own requests (ping) be answered.
func (r recorder) SetRequestHandler(h transport.RequestHandler) {
	if t, ok := r.Interface.(transport.BidirectionalInterface); ok {
		t.SetRequestHandler(h)
	}
}

// SetConnectionLostHandler is called by transports that can tell.
func (r recorder) SetConnectionLostHandler(f func(error)) {
	if t, ok := r.Interface.(interface{ SetConnectionLostHandler(func(error)) }); ok {
		t.SetConnectionLostHandler(f)
	}
}

func (r recorder) SendRequest(ctx context.Context, q transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := r.Interface.SendRequest(ctx, q)
	if err != nil {
		return nil, err
	}
	a, ok := ctx.Value(answerKey{}).(*answer)
	if !ok {
		return response, nil
	}
	*a = answer{response.Result, response.Error}
	if response.Error != nil {
		return response, nil
	}
	shown := *response
	switch mcp.MCPMethod(q.Method) {
	case mcp.MethodToolsList:
		shown.Result = decodableTools(response.Result)
	case mcp.MethodToolsCall:
		shown.Result = withoutContent(response.Result)
	}
	return &shown, nil
}

// decodableTools keeps the tools that fit mcp-go's type: one odd schema must not hide its neighbours.
func decodableTools(page json.RawMessage) json.RawMessage {
	var list struct {
		Tools      []json.RawMessage `json:"tools"`
		NextCursor string            `json:"nextCursor,omitempty"`
	}
	if json.Unmarshal(page, &list) != nil {
		return page
	}
	fitting := []json.RawMessage{}
	for _, raw := range list.Tools {
		var tool mcp.Tool
		if json.Unmarshal(raw, &tool) == nil {
			fitting = append(fitting, raw)
		}
	}
	list.Tools = fitting
	out, err := json.Marshal(list)
	if err != nil {
		return page
	}
	return out
}

// withoutContent is a result that any client decodes. One that asks for more input is left whole: the client has to
// read it.
func withoutContent(result json.RawMessage) json.RawMessage {
	var probe struct {
		ResultType mcp.ResultType `json:"resultType"`
	}
	if json.Unmarshal(result, &probe) == nil && probe.ResultType == mcp.ResultTypeInputRequired {
		return result
	}
	return json.RawMessage(`{"content":[]}`)
}
