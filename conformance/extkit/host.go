package extkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/schema"
	"github.com/exec-ext/exec-ext/hostapi"
)

// A behaviour is how the canned host answers one host/callTool.
type behaviour struct {
	Echo       bool            `json:"echo"`       // structuredContent {"args": the arguments}; what a tool without behaviours does
	Text       *string         `json:"text"`       // one text block
	TextTimes  *repeat         `json:"textTimes"`  // one text block of a piece so often
	Structured string          `json:"structured"` // structuredContent, as JSON text
	Result     json.RawMessage `json:"result"`     // a whole CallToolResult
	Answer     json.RawMessage `json:"answer"`     // a whole host/callTool result, whatever it is
	Denied     *string         `json:"denied"`     // outcome denied, with this reason
	Error      json.RawMessage `json:"error"`      // a JSON-RPC error
	Never      bool            `json:"never"`
	Twice      bool            `json:"twice"` // beside another: it is answered twice
	DelayMs    int64           `json:"delayMs"`
}

// A repeat is a piece so often.
type repeat struct {
	Piece string `json:"piece"`
	Times int    `json:"times"`
}

// A decision is how the canned host answers one host/permission; the zero value allows.
type decision struct {
	Deny   *string         `json:"deny"`
	Cancel bool            `json:"cancel"`
	Answer json.RawMessage `json:"answer"`
}

// A host answers the extension's requests of one check from canned data. It is called with the peer's lock held.
type host struct {
	setting *setting
	pool    []json.RawMessage // answers of host/pool, the last one again and again
	names   map[string]bool   // that may be called; nil = not known
	used    map[string]int    // behaviours used, by tool
	gated   map[string]int    // decisions used, by tool
	grants  map[string]string // grant to what it is for

	mu       sync.Mutex
	calls    []hostapi.HostCallToolParams // guarded by mu
	pools    int                          // guarded by mu
	inFlight int                          // guarded by mu
	most     int                          // guarded by mu
}

func newHost(s *setting) (*host, error) {
	h := &host{setting: s, pool: s.Pools, used: map[string]int{}, gated: map[string]int{}, grants: map[string]string{}}
	if h.pool == nil {
		pool, err := snapshot(s.Tools, s.Deny)
		if err != nil {
			return nil, err
		}
		h.pool = []json.RawMessage{pool}
		if s.Tools != nil {
			h.names, err = reachable(pool)
			if err != nil {
				return nil, err
			}
		}
	}
	return h, nil
}

// reachable are the names of a snapshot that its deny rules leave.
func reachable(pool json.RawMessage) (map[string]bool, error) {
	var p struct {
		Tools []struct{ Name string }
		Deny  []string
	}
	if err := json.Unmarshal(pool, &p); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, t := range p.Tools {
		names[t.Name] = !slices.ContainsFunc(p.Deny, func(rule string) bool {
			prefix, wild := strings.CutSuffix(rule, "*")
			return rule == t.Name || wild && strings.HasPrefix(t.Name, prefix)
		})
	}
	return names, nil
}

func (h *host) manual(method string) bool {
	return h == nil || slices.Contains(h.setting.Manual, method)
}

// record notes a nested call, whoever answers it.
func (h *host) record(m schema.Message) {
	var call hostapi.HostCallToolParams
	if h == nil || m.Method != hostapi.MethodHostCallTool || json.Unmarshal(m.Params, &call) != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, call)
}

// answer answers a request, later if it says so.
func (h *host) answer(p *peer, m schema.Message) {
	switch m.Method {
	case hostapi.MethodHostPool:
		h.mu.Lock()
		next := h.pool[min(h.pools, len(h.pool)-1)]
		h.pools++
		h.mu.Unlock()
		h.reply(p, m.ID, "result", next, reply{odd: h.setting.Pools != nil})
	case hostapi.MethodHostCallTool:
		h.callTool(p, m)
	case hostapi.MethodHostPermission:
		h.permission(p, m)
	default:
		h.reply(p, m.ID, "error", json.RawMessage(`{"code":-32601,"message":"no such method"}`), reply{})
	}
}

// A reply says how an answer is sent.
type reply struct {
	delay time.Duration
	twice bool
	odd   bool   // it may break the schema, on purpose
	first func() // done before it is sent
}

func (h *host) reply(p *peer, id json.RawMessage, member string, value json.RawMessage, how reply) {
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%q:%s}`, id, member, value)
	go func() {
		time.Sleep(how.delay)
		if how.first != nil {
			how.first()
		}
		if _, err := p.talk.Host(body); err != nil && !how.odd {
			p.blame(fmt.Sprintf("the vector's own answer: %v\n  in %s", err, report.Clip(body)))
		}
		_ = p.write(p.frame(body)) // the check notices by itself when the extension is gone
		if how.twice {
			_ = p.write(p.frame(body))
		}
	}()
}

func (h *host) callTool(p *peer, m schema.Message) {
	var call hostapi.HostCallToolParams
	if json.Unmarshal(m.Params, &call) != nil {
		return // the schema has said so
	}
	list := h.setting.Host[call.Name]
	b := behaviour{Echo: true}
	if len(list) > 0 {
		b = list[min(h.used[call.Name], len(list)-1)]
		h.used[call.Name]++
	}
	h.mu.Lock()
	h.inFlight++
	h.most = max(h.most, h.inFlight)
	h.mu.Unlock()
	if b.Never {
		return
	}
	member, value := b.outcome(call.Arguments)
	h.reply(p, m.ID, member, value, reply{
		delay: time.Duration(b.DelayMs) * time.Millisecond, twice: b.Twice, odd: b.Answer != nil, first: func() {
			h.mu.Lock()
			h.inFlight--
			h.mu.Unlock()
		},
	})
}

// outcome is the answer's member and its value.
func (b behaviour) outcome(args json.RawMessage) (member string, value json.RawMessage) {
	result := b.Result
	switch {
	case b.Error != nil:
		return "error", b.Error
	case b.Answer != nil:
		return "result", b.Answer
	case b.Denied != nil:
		reason, _ := marshal(*b.Denied)
		return "result", fmt.Appendf(nil, `{"outcome":"denied","reason":%s}`, reason)
	case b.Text != nil:
		result = textResult(*b.Text)
	case b.TextTimes != nil:
		result = textResult(strings.Repeat(b.TextTimes.Piece, b.TextTimes.Times))
	case b.Structured != "":
		result = fmt.Appendf(nil, `{"content":[],"structuredContent":%s}`, b.Structured)
	case result == nil:
		result = fmt.Appendf(nil, `{"content":[],"structuredContent":{"args":%s}}`, args)
	}
	return "result", fmt.Appendf(nil, `{"outcome":"result","result":%s}`, result)
}

func textResult(s string) json.RawMessage {
	quoted, _ := marshal(s)
	return fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, quoted)
}

// permission grants, once and for these arguments, or does what the vector says.
func (h *host) permission(p *peer, m schema.Message) {
	var ask hostapi.HostPermissionParams
	if json.Unmarshal(m.Params, &ask) != nil {
		return
	}
	var d decision
	if list := h.setting.Gate[ask.Name]; len(list) > 0 {
		d = list[min(h.gated[ask.Name], len(list)-1)]
		h.gated[ask.Name]++
	}
	var value json.RawMessage
	switch {
	case d.Answer != nil:
		value = d.Answer
	case d.Cancel:
		value = json.RawMessage(`{"decision":"cancelled"}`)
	case d.Deny != nil:
		value, _ = marshal(map[string]string{"decision": "deny", "reason": *d.Deny})
	default:
		grant := fmt.Sprintf("grant-%d", len(h.grants)+1)
		h.grants[grant] = purpose(ask.SessionID, ask.RunID, ask.CallID, ask.Name, ask.Arguments)
		value, _ = marshal(map[string]string{"decision": "allow", "grant": grant})
	}
	h.reply(p, m.ID, "result", value, reply{odd: d.Answer != nil})
}

// purpose is what a grant is for: exactly this call and these bytes.
func purpose(session, run, call, name string, args json.RawMessage) string {
	return strings.Join([]string{session, run, call, name, string(bytes.TrimSpace(args))}, "\x00")
}

// spend uses a grant up; the answer says what is wrong with it, "" if nothing.
func (h *host) spend(call hostapi.HostCallToolParams) string {
	want, ok := h.grants[call.Grant]
	switch {
	case h.setting.Permission != "separate" && call.Grant != "":
		return "a grant where the host asks for none"
	case h.setting.Permission != "separate" || h.manual(hostapi.MethodHostPermission):
		return ""
	case !ok:
		return fmt.Sprintf("grant %q was not given or is used up", call.Grant)
	}
	delete(h.grants, call.Grant)
	if want != purpose(call.SessionID, call.RunID, call.CallID, call.Name, call.Arguments) {
		return fmt.Sprintf("grant %q was given for another call or other arguments", call.Grant)
	}
	return ""
}

// ledger lists the calls that came, each as its name and the bytes of its arguments.
func (h *host) ledger() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := []string{}
	for _, c := range h.calls {
		out = append(out, c.Name+" "+string(c.Arguments))
	}
	return out
}

func (h *host) mostInFlight() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.most
}
