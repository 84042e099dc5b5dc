package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/catalog"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/hostapi/turns"
	"github.com/exec-ext/exec-ext/rpc"
	"github.com/exec-ext/exec-ext/sandbox"
)

// searchCall is the name of the search entry in calls, ledger and summary.
const searchCall = catalog.Namespace + "." + catalog.SearchName

// A funnel answers the nested calls of one run: count, look up, ask the host, read the value. It is the only
// caller of host/callTool and decides no permission.
type funnel struct {
	e        *execution
	pool     *catalog.Pool
	ledger   *ledger
	images   *images
	turns    *turns.Line // bounds how many calls are with the host at once
	deadline time.Time

	mu       sync.Mutex
	warnings []string // guarded by mu
	hostLost bool     // guarded by mu
	unknown  int      // calls of unknown names; Begin is never called twice at once

	asked <-chan struct{} // closed when the call before has gone to the host; used by Begin only
}

func newFunnel(e *execution, pool *catalog.Pool) *funnel {
	var progress func(hostapi.ExecProgressParams)
	if e.progress {
		progress = e.server.host.Progress
	}
	return &funnel{
		e: e, pool: pool, ledger: newLedger(e.session, e.id, progress), turns: turns.NewLine(int(e.limits.ConcurrentCalls)),
		images:   &images{maxCount: int(e.limits.Images), maxBytes: e.imageBytes()},
		deadline: time.Now().Add(e.wall()),
	}
}

var _ sandbox.Host = (*funnel)(nil)

// Names lists the pool for a script that enumerates tools.
func (f *funnel) Names() []string { return f.pool.Names() }

// Begin numbers the call and decides what can be decided at once.
func (f *funnel) Begin(c sandbox.Call) func(context.Context) sandbox.Reply {
	if c.Name != searchCall {
		if _, ok := f.pool.Lookup(c.Name); !ok {
			return refuse(sandbox.CallUnknown, unknownTool(c.Name, f.nearest(c.Name)))
		}
	}
	entry := f.ledger.begin(c.Name)
	if int64(entry.index) > f.e.limits.ToolCalls {
		f.ledger.end(entry, callLimit)
		return refuse(sandbox.CallLimit, textCallLimit)
	}
	if f.e.hostMax > 0 && int64(len(c.Args))+messageRoom > f.e.hostMax {
		f.ledger.end(entry, callError)
		return refuse(sandbox.CallInvalid, argumentsTooLarge(c.Name))
	}
	if c.Name == searchCall {
		return func(context.Context) sandbox.Reply { return f.search(entry, c.Args) }
	}
	turn := f.turns.Join()
	before, after := f.asked, make(chan struct{})
	f.asked = after
	return func(ctx context.Context) sandbox.Reply {
		gone := sync.OnceFunc(func() { close(after) })
		defer gone()
		defer turn.Leave()
		if turn.Wait(ctx) != nil || !inOrder(ctx, before) {
			f.ledger.end(entry, callCancelled)
			return aborted()
		}
		return f.call(rpc.OnQueued(ctx, gone), entry, c)
	}
}

// inOrder waits for the call before, so that a host meets the calls, and asks about them, in the script's order; false
// when ctx ended first. The first call has none before it.
func inOrder(ctx context.Context, before <-chan struct{}) bool {
	if before == nil {
		return true
	}
	select {
	case <-before:
		return true
	case <-ctx.Done():
		return false
	}
}

// messageRoom is what a message holds beside arguments, in bytes.
const messageRoom = 4 << 10

// imageBytes is the room for images: no more than half of what the host takes in one message.
func (e *execution) imageBytes() int64 {
	if e.hostMax > 0 {
		return min(e.limits.ImageBytes, e.hostMax/2)
	}
	return e.limits.ImageBytes
}

// nearest gives the names that an unknown one may mean. Each look goes through the whole pool, so a script that tries
// names in a loop is soon told the search only: it would take the time of the other sessions.
func (f *funnel) nearest(name string) []string {
	if f.unknown++; f.unknown > nearestLooks {
		return nil
	}
	return f.pool.Nearest(name, nearestShown)
}

const (
	nearestShown = 3  // near names that an unknown one is answered with
	nearestLooks = 50 // times that a run is told near names
)

func refuse(kind sandbox.CallErrorKind, message string) func(context.Context) sandbox.Reply {
	return func(context.Context) sandbox.Reply { return rejected(kind, message) }
}

func rejected(kind sandbox.CallErrorKind, message string) sandbox.Reply {
	return sandbox.Reply{Err: &sandbox.CallError{Kind: kind, Message: message}}
}

func aborted() sandbox.Reply { return rejected(sandbox.CallAborted, textCallAborted) }

func (f *funnel) search(entry *callEntry, args json.RawMessage) sandbox.Reply {
	f.e.server.counts.searches.Add(1)
	hits, note, err := f.pool.Search(args, renderOptions(f.e.config))
	if err != nil {
		f.ledger.end(entry, callError)
		return rejected(sandbox.CallInvalid, err.Error())
	}
	f.warn(note)
	f.ledger.end(entry, callOK)
	value, err := marshal(hits)
	if err != nil {
		return rejected(sandbox.CallFailed, err.Error())
	}
	return sandbox.Reply{Value: value}
}

// call takes one leaf through the host's gate and funnel. The argument bytes are the same in both messages.
func (f *funnel) call(ctx context.Context, entry *callEntry, c sandbox.Call) sandbox.Reply {
	f.e.server.counts.calls.Add(1)
	grant := ""
	if f.e.gate == permissionSeparate {
		g, refusal := f.permission(ctx, entry, c)
		if refusal != nil {
			return *refusal
		}
		grant = g
	}
	f.ledger.awaiting(entry, awaitTool)
	answer, err := f.e.server.host.CallTool(ctx, hostapi.HostCallToolParams{
		SessionID: f.e.session, RunID: f.e.id, CallID: entry.id, Index: entry.index, Name: c.Name, Arguments: c.Args,
		Grant: grant, TimeLeftMs: max(0, time.Until(f.deadline).Milliseconds()),
	})
	if err != nil {
		return f.broken(ctx, entry, err)
	}
	switch answer.Outcome {
	case "result":
		return f.settle(entry, c.Name, answer.Result)
	case "denied":
		return f.denied(entry, c.Name, answer.Reason)
	case "cancelled":
		return f.hostCancelled(entry, answer.Reason)
	case "unreachable":
		f.ledger.end(entry, callError)
		return rejected(sandbox.CallFailed, toolUnreachable(c.Name, answer.Reason))
	}
	f.ledger.end(entry, callError)
	return rejected(sandbox.CallFailed, noUsableAnswer(c.Name))
}

// permission asks for a grant; refusal is the script's answer if there is none.
func (f *funnel) permission(ctx context.Context, entry *callEntry, c sandbox.Call) (grant string, refusal *sandbox.Reply) {
	f.ledger.awaiting(entry, awaitPermission)
	decision, err := f.e.server.host.Permission(ctx, hostapi.HostPermissionParams{
		SessionID: f.e.session, RunID: f.e.id, CallID: entry.id, Index: entry.index, Name: c.Name, Arguments: c.Args,
	})
	var reply sandbox.Reply
	switch {
	case err != nil && (ctx.Err() != nil || errors.Is(err, rpc.ErrClosed)):
		reply = f.broken(ctx, entry, err)
	case decision.Decision == "allow" && decision.Grant != "":
		return decision.Grant, nil
	case decision.Decision == "deny":
		reply = f.denied(entry, c.Name, decision.Reason)
	case decision.Decision == "cancelled":
		reply = f.hostCancelled(entry, decision.Reason)
	default: // an error, no decision, or an allowance without a grant, which no host could take
		f.ledger.end(entry, callError)
		reply = rejected(sandbox.CallFailed, permissionUnknown(c.Name))
	}
	return "", &reply
}

func (f *funnel) denied(entry *callEntry, name, reason string) sandbox.Reply {
	f.ledger.end(entry, callDenied)
	return rejected(sandbox.CallDenied, callWasDenied(name, reason))
}

// hostCancelled ends the run: the person or the host wants no more of it.
func (f *funnel) hostCancelled(entry *callEntry, reason string) sandbox.Reply {
	f.ledger.end(entry, callCancelled)
	f.e.cancel(cancelled{reason})
	return aborted()
}

// broken is a call without an answer of the protocol: the run ended, the host is gone, or it sent an error.
func (f *funnel) broken(ctx context.Context, entry *callEntry, err error) sandbox.Reply {
	var wire *rpc.Error
	switch {
	case ctx.Err() != nil:
		f.ledger.leave(entry)
		return aborted()
	case errors.Is(err, rpc.ErrClosed):
		f.mu.Lock()
		f.hostLost = true
		f.mu.Unlock()
		f.ledger.end(entry, callError)
		return rejected(sandbox.CallLost, textHostLost)
	case errors.As(err, &wire) && wire.Code == rpc.CodeTooLarge:
		f.ledger.end(entry, callError)
		return rejected(sandbox.CallFailed, answerTooLarge(entry.name))
	case errors.As(err, &wire):
		f.ledger.end(entry, callError)
		return rejected(sandbox.CallFailed, hostError(entry.name, wire.Message))
	}
	f.ledger.end(entry, callError)
	return rejected(sandbox.CallFailed, noUsableAnswer(entry.name))
}

// settle reads a CallToolResult by the value rule; its images count, whether it is an error or not.
func (f *funnel) settle(entry *callEntry, name string, raw json.RawMessage) sandbox.Reply {
	v, ok := readResult(raw)
	if !ok {
		f.ledger.end(entry, callError)
		return rejected(sandbox.CallFailed, noUsableAnswer(name))
	}
	for _, image := range v.images {
		f.images.add(entry.index, image)
	}
	if len(v.leftOut) > 0 {
		f.warn(contentLeftOut(name, v.leftOut))
	}
	if v.isError {
		f.ledger.end(entry, callError)
		return rejected(sandbox.CallFailed, v.errorText(name))
	}
	f.ledger.end(entry, callOK)
	return sandbox.Reply{Value: v.value}
}

func (f *funnel) warn(text string) {
	if text == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.warnings = append(f.warnings, text)
}

// close ends the funnel's own work: no progress goes out after it.
func (f *funnel) close() { f.ledger.close() }

// kindOf is the run's errorKind: a run that failed because the host went away says that.
func (f *funnel) kindOf(failure *sandbox.Failure) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hostLost && failure.Kind == sandbox.KindScript {
		return string(sandbox.KindHostLost)
	}
	return string(failure.Kind)
}

// callID names a nested call within its run.
func callID(index int) string { return fmt.Sprintf("call-%d", index) }
