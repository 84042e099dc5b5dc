package hostkit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/hostapi/refhost"
	"github.com/rs/zerolog"
)

// An order is one line of the kit's.
type order struct {
	Op         string
	Command    []string
	Permission string
	Tools      []json.RawMessage
	Leaves     map[string]json.RawMessage
	Rules      struct {
		Allow, Deny []string
		Ask         map[string]string
	}
	Session, Run, Code string
	History            []string
}

// An adapterHost is the adapter of the reference host, and the host's own loop around it: what an agent does with a
// session that works, and without one.
type adapterHost struct {
	fault string // what this host does wrong; "" = nothing
	start order
	stubs *stubs
	hub   *refhost.Hub // nil: the pool is unavailable
	ready chan struct{}
	ext   *refhost.Session // nil: there is none; valid after ready

	writing sync.Mutex
	out     *json.Encoder

	mu   sync.Mutex
	runs map[string]func() // cancels, by run; guarded by mu
	plan map[string]any    // the last one, for a host that forgets to plan anew; guarded by mu
}

// adapterMain is the adapter as a process.
func adapterMain(fault string, in io.Reader, out io.Writer) int {
	h := &adapterHost{fault: fault, ready: make(chan struct{}), out: json.NewEncoder(out), runs: map[string]func(){}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return 0
		}
		var o order
		if err := json.Unmarshal(line, &o); err != nil {
			h.emit("note", map[string]any{"text": err.Error()})
			return 1
		}
		h.take(o)
	}
}

func (h *adapterHost) emit(event string, members map[string]any) {
	h.writing.Lock()
	defer h.writing.Unlock()
	line := map[string]any{"event": event}
	for name, value := range members {
		line[name] = value
	}
	_ = h.out.Encode(line)
}

func (h *adapterHost) take(o order) {
	switch o.Op {
	case "start":
		h.start = o
		if h.fault == "in-funnel-only" && o.Permission == "separate" {
			h.emit("unsupported", map[string]any{"reason": "asks in its funnel only"})
			return
		}
		go h.open()
	case "prepare":
		go h.prepare(o)
	case "run":
		ctx, giveUp := context.WithCancel(context.Background())
		h.mu.Lock()
		h.runs[o.Run] = func() { h.cancel(o, giveUp) }
		h.mu.Unlock()
		go h.run(ctx, o)
	case "cancel":
		h.mu.Lock()
		cancel := h.runs[o.Run]
		h.mu.Unlock()
		go cancel()
	case "tools":
		go h.change(o)
	case "stop":
		go h.stop()
	}
}

// open connects the stubs and starts the extension.
func (h *adapterHost) open() {
	defer close(h.ready)
	ctx := context.Background()
	h.stubs = &stubs{h: h}
	if h.start.Tools != nil {
		h.hub = h.stubs.connect(ctx)
	}
	allow, err := refhost.ParseRules(h.start.Rules.Allow)
	if err != nil {
		panic(err)
	}
	deny, err := refhost.ParseRules(h.start.Rules.Deny)
	if err != nil {
		panic(err)
	}
	host := &refhost.Host{
		Hub: h.hub, Permission: h.start.Permission, Progress: func(hostapi.ExecProgressParams) {},
		Gate: refhost.NewGate(refhost.GateOptions{Allow: allow, Deny: deny, Ask: h.stubs.ask}),
	}
	p := &spawned{command: h.start.Command, fault: h.fault, host: h}
	late := time.AfterFunc(startPatience, p.kill)
	h.ext, err = refhost.Open(ctx, p.extension, host, refhost.SessionOptions{Version: "1", Log: zerolog.Nop()})
	late.Stop()
	if err != nil {
		h.ext = nil
		h.emit("started", map[string]any{"error": err.Error()})
		return
	}
	h.emit("started", nil)
}

const (
	startPatience  = 5 * time.Second
	cancelPatience = 2 * time.Second
)

// prepare asks for a plan; without one everything is flat.
func (h *adapterHost) prepare(o order) {
	<-h.ready
	if h.ext == nil {
		h.emit("plan", h.flat(o))
		return
	}
	h.mu.Lock()
	last := h.plan
	h.mu.Unlock()
	if h.fault == "plan-kept" && last != nil {
		h.emit("plan", last)
		return
	}
	plan, err := h.ext.TurnPrepare(context.Background(), hostapi.TurnPrepareParams{SessionID: o.Session, Channel: "available", History: o.History})
	if err != nil || !slices.Contains([]string{"exec", "flat", "none"}, plan.Mode) {
		h.emit("plan", h.flat(o))
		return
	}
	members := map[string]any{"session": o.Session, "declare": plan.Declare}
	if m := plan.Announcement.Message; m != nil {
		members["append"] = m.Text
	}
	h.mu.Lock()
	h.plan = members
	h.mu.Unlock()
	h.emit("plan", members)
}

// flat declares every tool that no rule removes, as a host without an extension does.
func (h *adapterHost) flat(o order) map[string]any {
	members := map[string]any{"session": o.Session}
	if h.hub == nil {
		return members
	}
	names := []string{}
	tools, _ := h.hub.Pool(context.Background())
	for _, raw := range tools {
		if name := nameOf(raw); !slices.Contains(h.start.Rules.Deny, name) {
			names = append(names, name)
		}
	}
	members["declare"] = names
	return members
}

func nameOf(raw json.RawMessage) string {
	var t struct{ Name string }
	if err := json.Unmarshal(raw, &t); err != nil {
		panic(err)
	}
	return t.Name
}

// run runs one script and hands on what came of it.
func (h *adapterHost) run(ctx context.Context, o order) {
	<-h.ready
	text, images, failed := "Exec is not there.", 0, true
	if h.ext != nil {
		input, err := json.Marshal(map[string]string{"code": o.Code})
		if err != nil {
			panic(err)
		}
		r, err := h.ext.ExecRun(ctx, hostapi.ExecRunParams{SessionID: o.Session, RunID: o.Run, Input: input})
		text, images, failed = handedOn(r, err)
	}
	if h.fault == "failure-hidden" && strings.Contains(text, "it went wrong") {
		failed = false
	}
	if h.fault == "text-edited" {
		text = strings.ReplaceAll(text, "\n", " ")
	}
	if h.fault == "second-run-forgotten" && failed && o.Session == "s2" {
		return
	}
	h.emit("result", map[string]any{"run": o.Run, "isError": failed, "text": text[:min(len(text), 10_000)], "images": images})
}

// handedOn is what the model gets of a result.
func handedOn(r hostapi.ExecResult, err error) (text string, images int, failed bool) {
	if err != nil {
		return "Exec did not work: " + err.Error(), 0, true
	}
	for _, raw := range r.Content {
		var block struct{ Type, Text string }
		if json.Unmarshal(raw, &block) != nil {
			continue
		}
		if block.Type == "image" {
			images++
			continue
		}
		text += block.Text
	}
	if text == "" {
		return "Exec gave nothing.", 0, true
	}
	return text, images, r.IsError
}

// cancel is the person's wish; a run that does not end then is given up.
func (h *adapterHost) cancel(o order, giveUp func()) {
	<-h.ready
	if h.ext != nil {
		h.ext.ExecCancel(hostapi.ExecCancelParams{SessionID: o.Session, RunID: o.Run, Reason: "the user stopped it"})
	}
	time.AfterFunc(cancelPatience, giveUp)
}

// change gives the servers other tools and waits until the hub has them.
func (h *adapterHost) change(o order) {
	<-h.ready
	h.stubs.replace(o.Tools)
	for {
		tools, _ := h.hub.Pool(context.Background())
		if len(tools) == len(o.Tools) {
			break
		}
		time.Sleep(10 * time.Millisecond) // the servers' notifications are on their way
	}
	h.emit("changed", nil)
}

func (h *adapterHost) stop() {
	<-h.ready
	if h.ext != nil {
		_ = h.ext.Close() // an extension that is gone already has nothing to say
	}
	if h.hub != nil {
		h.hub.Close()
	}
	h.emit("stopped", nil)
}

// kill ends a process by its own id.
func kill(p *os.Process) {
	if p != nil {
		_ = p.Kill()
	}
}
