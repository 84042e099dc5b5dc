package hostkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/conformance/match"
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/wirelog"
	"github.com/exec-ext/exec-ext/hostapi"
)

// A check is one vector being carried out on an adapter of its own.
type check struct {
	ctx      context.Context
	kit      *kit
	vector   *vector
	adapter  *adapter
	ext      *extension
	vars     match.Vars
	taken    map[string]message // requests of the host, by the names given to them
	asked    map[string]string  // ids of ours, by name
	log      *wirelog.Log
	listener net.Listener
	folder   string // of the socket and the program
	stopped  bool
	final    map[string][]string // what the leaves of events are to be in the end

	mu       sync.Mutex
	problems []string // guarded by mu
}

// errFailed ends a check whose problems are noted; errSkip one that does not concern this host.
var (
	errFailed = errors.New("failed")
	errSkip   = errors.New("skipped")
)

func (c *check) blame(problem string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.problems = append(c.problems, problem)
}

// fail notes a problem and ends the check.
func (c *check) fail(format string, args ...any) error {
	c.blame(fmt.Sprintf(format, args...))
	return errFailed
}

// do carries a vector out and gives its result.
func (k *kit) do(ctx context.Context, v *vector) report.Result {
	began := time.Now()
	r := report.Result{Outcome: report.Pass, Check: report.Check{ID: v.ID, Level: v.Level, Scenarios: v.Scenarios, Title: v.Title}}
	timeout := k.Timeout
	if v.TimeoutMs > 0 {
		timeout = time.Duration(v.TimeoutMs) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c, err := k.open(ctx, v)
	if err == nil {
		err = c.carryOut()
		c.close()
	}
	r.Took = time.Since(began)
	switch {
	case errors.Is(err, errSkip):
		r.Outcome, r.Detail = report.Skip, strings.TrimSuffix(err.Error(), ": "+errSkip.Error())
	case err != nil && !errors.Is(err, errFailed):
		r.Outcome, r.Detail = report.Fail, "the kit: "+err.Error()
	case c != nil && len(c.problems) > 0:
		r.Outcome, r.Detail = report.Fail, c.detail()
	}
	return r
}

// open starts the adapter with a socket for its extension.
func (k *kit) open(ctx context.Context, v *vector) (*check, error) {
	log, err := wirelog.Open(k.KeepWire, v.ID)
	if err != nil {
		return nil, err
	}
	c := &check{ctx: ctx, kit: k, vector: v, vars: match.Vars{}, taken: map[string]message{}, asked: map[string]string{}, final: map[string][]string{}, log: log}
	c.ext = newExtension(v, k.schemas, log.Add, c.blame)
	if c.folder, err = os.MkdirTemp("", "exec-ext-"); err != nil {
		return nil, err
	}
	if c.listener, err = net.Listen("unix", filepath.Join(c.folder, "socket")); err != nil {
		os.RemoveAll(c.folder)
		return nil, err
	}
	go c.ext.accept(c.listener)
	if c.adapter, err = launch(k.Command, log.Add, c.blame); err != nil {
		c.listener.Close()
		os.RemoveAll(c.folder)
		return nil, fmt.Errorf("%w: %w", ErrNoStart, err)
	}
	return c, nil
}

// close lets go of everything. What the host has spawned ends with the socket.
func (c *check) close() {
	c.adapter.kill()
	c.listener.Close()
	c.ext.close()
	os.RemoveAll(c.folder)
	c.log.Close()
}

// carryOut starts the host, does the steps, and stops it.
func (c *check) carryOut() error {
	if err := c.start(); err != nil {
		return err
	}
	for i := range c.vector.Steps {
		if err := c.step(&c.vector.Steps[i]); err != nil {
			if skip := context.Cause(c.ctx); errors.Is(skip, errSkip) {
				return skip
			}
			if errors.Is(err, errFailed) {
				c.blame(fmt.Sprintf("  in step %d of %d", i+1, len(c.vector.Steps)))
			}
			return err
		}
	}
	if c.stopped {
		return nil
	}
	return c.stop()
}

// start tells the adapter what to set up. Where the steps answer initialize it is not waited for; elsewhere the host
// can be sure of an extension, which is not there yet with one that is started when it is first needed.
func (c *check) start() error {
	command := append(append([]string{}, c.kit.Fake...), filepath.Join(c.folder, "socket"))
	program, err := c.program(command)
	if err != nil {
		return err
	}
	order, err := c.vector.startOrder(command, program)
	if err != nil {
		return err
	}
	if err := c.adapter.order(order); err != nil {
		return c.fail("start: %v", err)
	}
	if c.vector.byHand(hostapi.MethodInitialize) {
		c.watchUnsupported()
		return nil
	}
	e, err := c.adapter.events.take(c.ctx, func(e event) bool { return e.Name == "started" || e.Name == unsupported })
	if err != nil {
		return c.fail("start: no event started: %v", err)
	}
	if e.Name == unsupported {
		return e.skip()
	}
	return c.need()
}

// unsupported is the event of an adapter that cannot set up what start asks for.
const unsupported = "unsupported"

func (e event) skip() error {
	var why struct{ Reason string }
	_ = json.Unmarshal(e.raw, &why)
	return fmt.Errorf("%s: %w", why.Reason, errSkip)
}

// watchUnsupported ends the steps where the adapter says that it is unsupported, at whatever step they are.
func (c *check) watchUnsupported() {
	ctx, cancel := context.WithCancelCause(c.ctx)
	c.ctx = ctx
	go func() {
		if e, err := c.adapter.events.take(ctx, func(e event) bool { return e.Name == unsupported }); err == nil {
			cancel(e.skip())
		}
	}()
}

// need skips the check if the host has not the capability that it needs. A host that has not greeted its extension yet
// does so to prepare a request.
func (c *check) need() error {
	if c.vector.Needs == "" {
		return nil
	}
	if err := c.adapter.order(json.RawMessage(`{"op":"prepare","session":"s0","history":[]}`)); err != nil {
		return c.fail("prepare: %v", err)
	}
	if _, err := c.adapter.events.take(c.ctx, func(e event) bool { return e.Name == "plan" }); err != nil {
		return c.fail("prepare: no event plan: %v", err)
	}
	if !c.ext.serves(c.vector.Needs) {
		return fmt.Errorf("the host has not the capability %s: %w", c.vector.Needs, errSkip)
	}
	return nil
}

// program makes an executable that is the command: for hosts that can be given a path only.
func (c *check) program(command []string) (string, error) {
	name, text := "exec-ext", "#!/bin/sh\nexec"
	if runtime.GOOS == "windows" {
		name, text = "exec-ext.cmd", "@"
	}
	for _, word := range command {
		if runtime.GOOS == "windows" {
			text += ` "` + word + `"`
		} else {
			text += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	path := filepath.Join(c.folder, name)
	return path, os.WriteFile(path, []byte(text+"\n"), 0o700)
}

// goodbye is how long an adapter may take to end after it has stopped.
const goodbye = 10 * time.Second

// stop ends the host in order, and looks whether it did.
func (c *check) stop() error {
	c.stopped = true
	if err := c.adapter.order(json.RawMessage(`{"op":"stop"}`)); err != nil {
		return c.fail("stop: %v", err)
	}
	if _, err := c.adapter.events.take(c.ctx, func(e event) bool { return e.Name == "stopped" }); err != nil {
		return c.fail("stop: no event stopped: %v", err)
	}
	if c.vector.Ends {
		select {
		case <-c.ext.gone:
		case <-time.After(goodbye):
			return c.fail("the extension's process is still there when the host has stopped")
		}
	}
	if c.vector.Goodbye && !c.ext.saidGoodbye() {
		c.blame("the host has not sent shutdown and then exit")
	}
	if err := c.adapter.leave(goodbye); err != nil {
		return c.fail("the adapter: %v", err)
	}
	for _, event := range slices.Sorted(maps.Keys(c.final)) {
		if err := c.names(c.ctx, event, c.final[event]); err != nil {
			return err
		}
	}
	return nil
}

// detail is what the problems are, and what may explain them.
func (c *check) detail() string {
	out := strings.Join(c.problems, "\n")
	for _, e := range c.adapter.events.all() {
		if e.Name == "note" || e.Name == "started" && strings.Contains(string(e.raw), `"error"`) {
			out += "\n" + report.Clip(e.raw)
		}
	}
	if text := c.adapter.stderr.String(); text != "" {
		out += "\nstderr of the adapter:\n" + text
	}
	return out
}
