package hostkit_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/exec-ext/exec-ext/hostapi"
)

// A mischief is what a broken host remembers in order to do wrong.
type mischief struct {
	mu       sync.Mutex
	asked    map[string]hostapi.HostPermissionParams // requests for grants, by id
	grants   map[string]hostapi.HostPermissionParams // what a grant was given for
	used     map[string]bool
	calls    []string // ids of host/callTool
	pools    map[string]bool
	revision map[string]bool
}

// An envelope is any message, with what the faults look at.
type envelope struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
}

// fromExtension gives the message that the host gets, nil for none.
func (w *wire) fromExtension(body []byte) []byte {
	var e envelope
	if json.Unmarshal(body, &e) != nil {
		return body
	}
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	switch e.Method {
	case hostapi.MethodHostPermission:
		var p hostapi.HostPermissionParams
		if json.Unmarshal(e.Params, &p) == nil {
			w.m.asked = put(w.m.asked, string(e.ID), p)
		}
	case hostapi.MethodHostCallTool:
		w.m.calls = append(w.m.calls, string(e.ID))
		var p hostapi.HostCallToolParams
		if json.Unmarshal(e.Params, &p) == nil && w.lax(p) {
			w.host.emit("called", map[string]any{"name": p.Name, "arguments": p.Arguments})
			w.answer(e.ID, `{"outcome":"result","result":{"content":[]}}`)
			return nil
		}
		w.m.used = put(w.m.used, p.Grant, true)
	case hostapi.MethodHostPool:
		var p hostapi.HostPoolParams
		if json.Unmarshal(e.Params, &p) == nil && w.fault == "old-pool-kept" && w.m.revision[p.IfRevision] {
			w.answer(e.ID, fmt.Sprintf(`{"status":"unchanged","revision":%q}`, p.IfRevision))
			return nil
		}
		w.m.pools = put(w.m.pools, string(e.ID), true)
	case hostapi.MethodCancelRequest:
		if w.fault == "all-calls-cancelled" {
			for _, id := range w.m.calls {
				w.send(w.toHost, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%s}}`, id))
			}
		}
	}
	if w.fault == "unknown-request-answered" && strings.HasPrefix(e.Method, "host/") && len(e.ID) > 0 && e.Method == "host/soup" {
		w.answer(e.ID, `null`)
		return nil
	}
	if w.fault == "notification-answered" && e.Method == "$/soup" {
		w.send(w.toExtension, []byte(`{"jsonrpc":"2.0","id":77,"error":{"code":-32601,"message":"no such method"}}`))
	}
	return body
}

func put[V any](m map[string]V, key string, value V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[key] = value
	return m
}

func (w *wire) answer(id json.RawMessage, result string) {
	w.send(w.toExtension, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

var plainLeaf = regexp.MustCompile(`^mcp__srv__[a-z]+$`)

// lax says whether the broken host executes a call that no good host would. mu is held.
func (w *wire) lax(p hostapi.HostCallToolParams) bool {
	given, known := w.m.grants[p.Grant]
	same := known && given.SessionID == p.SessionID && given.CallID == p.CallID && given.Name == p.Name &&
		string(given.Arguments) == string(p.Arguments)
	switch w.fault {
	case "grant-reuse":
		return same && w.m.used[p.Grant]
	case "grant-other-arguments":
		return known && !same && len(members(given.Arguments)) == 1 && len(members(p.Arguments)) == 1 && given.Name == p.Name &&
			given.CallID == p.CallID && given.SessionID == p.SessionID
	case "grant-more-arguments":
		return known && len(members(p.Arguments)) > len(members(given.Arguments))
	case "grant-other-spelling":
		return known && !same && fmt.Sprint(members(given.Arguments)) == fmt.Sprint(members(p.Arguments)) && len(members(p.Arguments)) > 1
	case "grant-other-call":
		return known && given.CallID != p.CallID
	case "grant-other-leaf":
		return known && given.Name != p.Name
	case "grant-other-session":
		return known && given.SessionID != p.SessionID
	case "grant-absent":
		return p.Grant == "" && p.Name == "mcp__srv__read" && w.host.start.Permission == "separate"
	case "grant-invented":
		return p.Grant != "" && !known
	case "denied-executed":
		return p.Name == "mcp__srv__drop" && w.host.start.Permission == "inFunnel"
	case "unknown-executed":
		return plainLeaf.MatchString(p.Name) && w.host.start.Leaves[p.Name] == nil
	}
	return false
}

func members(raw json.RawMessage) map[string]any {
	var m map[string]any
	_ = json.Unmarshal(raw, &m) // no object has no members
	return m
}

// fromHost gives the message that the extension gets, nil for none.
func (w *wire) fromHost(body []byte) []byte {
	var e envelope
	if json.Unmarshal(body, &e) != nil {
		return body
	}
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	w.learn(e)
	p := members(e.Params)
	switch {
	case w.fault == "hello-without-name" && e.Method == hostapi.MethodInitialize:
		delete(p, "clientInfo")
	case w.fault == "history-lost" && e.Method == hostapi.MethodTurnPrepare:
		delete(p, "history")
	case w.fault == "whole-session-cancelled" && e.Method == hostapi.MethodExecCancel:
		delete(p, "runId")
	case w.fault == "params-null" && e.Method == hostapi.MethodShutdown:
		p = nil // which is written null
	case w.fault == "no-shutdown" && e.Method == hostapi.MethodShutdown:
		w.send(w.toHost, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":null}`, e.ID))
		return nil
	case w.fault == "deny-not-told" && w.m.pools[string(e.ID)] && e.Method == "":
		var pool map[string]json.RawMessage
		_ = json.Unmarshal(e.Result, &pool)
		delete(pool, "deny")
		return encode(map[string]any{"jsonrpc": "2.0", "id": e.ID, "result": pool})
	default:
		return body
	}
	out := map[string]any{"jsonrpc": "2.0", "method": e.Method, "params": p}
	if len(e.ID) > 0 {
		out["id"] = e.ID
	}
	return encode(out)
}

func encode(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

// learn notes grants and revisions as the host gives them. mu is held.
func (w *wire) learn(e envelope) {
	var r struct{ Grant, Revision string }
	if e.Method != "" || json.Unmarshal(e.Result, &r) != nil {
		return
	}
	if p, ok := w.m.asked[string(e.ID)]; ok && r.Grant != "" {
		w.m.grants = put(w.m.grants, r.Grant, p)
	}
	if w.m.pools[string(e.ID)] {
		w.m.revision = put(w.m.revision, r.Revision, true)
	}
}
