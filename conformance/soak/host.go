package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
)

// leaves are the tools of the pool, each with what the host does when it is called.
var leaves = [...]string{"echo", "fail", "denied", "error", "late", "never", "nonsense", "unreachable", "stop", "big"}

// table is the host's side of the protocol.
func (s *soak) table() rpc.Table {
	tools := make([]json.RawMessage, len(leaves))
	for i, name := range leaves {
		tools[i] = fmt.Appendf(nil, `{"name":"mcp__soak__%s","description":"Does %[1]s.","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}`, name)
	}
	return rpc.Table{
		hostapi.MethodHostPool: func(context.Context, json.RawMessage) rpc.Job {
			return func(context.Context) (any, error) {
				return hostapi.PoolSnapshot{Status: "ok", Revision: "1", Tools: tools}, nil
			}
		},
		hostapi.MethodHostCallTool: func(_ context.Context, raw json.RawMessage) rpc.Job {
			return func(ctx context.Context) (any, error) {
				var p hostapi.HostCallToolParams
				if err := json.Unmarshal(raw, &p); err != nil {
					s.blame("host/callTool: %v", err)
				}
				return answer(ctx, p)
			}
		},
		hostapi.MethodExecProgress: func(context.Context, json.RawMessage) rpc.Job { return nil },
	}
}

// lateness is how long the leaf late takes.
const lateness = 40 * time.Millisecond

// bigText is how much the leaf big answers.
const bigText = 200 << 10

func answer(ctx context.Context, p hostapi.HostCallToolParams) (any, error) {
	switch strings.TrimPrefix(p.Name, "mcp__soak__") {
	case "fail":
		return json.RawMessage(`{"outcome":"result","result":{"content":[{"type":"text","text":"it failed"}],"isError":true}}`), nil
	case "denied":
		return hostapi.HostCallToolResult{Outcome: "denied", Reason: "not today"}, nil
	case "error":
		return nil, rpc.NewError(-32000, "host", "the host erred", false, nil)
	case "late":
		select {
		case <-time.After(lateness):
		case <-ctx.Done():
		}
	case "never":
		<-ctx.Done()
	case "nonsense":
		return json.RawMessage(`[1,"soup",null]`), nil
	case "unreachable":
		return hostapi.HostCallToolResult{Outcome: "unreachable", Reason: "it is gone"}, nil
	case "stop":
		return hostapi.HostCallToolResult{Outcome: "cancelled"}, nil
	case "big":
		return json.RawMessage(`{"outcome":"result","result":{"content":[{"type":"text","text":"` + strings.Repeat("x", bigText) + `"}]}}`), nil
	}
	return json.RawMessage(`{"outcome":"result","result":{"content":[],"structuredContent":` + string(p.Arguments) + `}}`), nil
}
