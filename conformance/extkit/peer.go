package extkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/exec-ext/exec-ext/conformance/child"
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/schema"
	"github.com/exec-ext/exec-ext/conformance/wirelog"
	"github.com/exec-ext/exec-ext/rpc"
)

// A peer is the extension under test with the fake host's end of the pipe. Several checks may use one peer, one after
// the other.
type peer struct {
	process *child.Process
	stderr  *child.Tail
	framing rpc.Framing
	talk    *schema.Conversation
	watch   *watch
	wire    atomic.Pointer[wirelog.Log] // of the check that is going on
	nextID  int

	writing sync.Mutex // held while bytes go out, so that messages stay whole

	gate gate // holds the reader back

	mu      sync.Mutex
	host    *host         // answers the extension; guarded by mu
	inbox   []message     // what came and nobody has taken; guarded by mu
	faults  []string      // what no check allows; guarded by mu
	ended   bool          // stdout is at its end; guarded by mu
	changed chan struct{} // closed, and made anew, when one of these changes; guarded by mu
}

// A message is one from the extension.
type message struct {
	schema.Message
	raw json.RawMessage
	at  time.Time
}

// maxFrame is the largest message that the fake host takes.
const maxFrame = 256 << 20

// newPeer starts a command. wire may be nil.
func newPeer(command []string, framing rpc.Framing, v *schema.Validator, wire *wirelog.Log) (*peer, error) {
	stderr := &child.Tail{}
	process, err := child.Start(command, stderr)
	if err != nil {
		return nil, err
	}
	p := &peer{process: process, stderr: stderr, framing: framing, talk: schema.NewConversation(v), watch: newWatch(), changed: make(chan struct{}), nextID: 1000}
	p.gate.cond.L = &p.gate.mu
	p.wire.Store(wire)
	go p.read()
	return p, nil
}

// read takes messages until stdout ends.
func (p *peer) read() {
	frames := rpc.NewFrameReader(&tap{p}, p.framing, maxFrame)
	for {
		body, err := frames.Next()
		if err != nil {
			p.mu.Lock()
			if !errors.Is(err, io.EOF) && !p.process.Gone() {
				p.faults = append(p.faults, "stdout: "+err.Error())
			}
			p.ended = true
			p.wake()
			p.mu.Unlock()
			return
		}
		p.take(body)
	}
}

// take looks at a message, answers it if it is a request that the canned host answers, and keeps it otherwise.
func (p *peer) take(body []byte) {
	m, err := p.talk.Extension(body)
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.wake()
	if err != nil {
		p.faults = append(p.faults, fmt.Sprintf("%v\n  in %s", err, report.Clip(body)))
	}
	p.faults = append(p.faults, p.watch.extension(m, p.host)...)
	p.host.record(m)
	if m.IsRequest() && !p.host.manual(m.Method) {
		p.host.answer(p, m)
		return
	}
	p.inbox = append(p.inbox, message{m, body, time.Now()})
}

// blame notes what no check allows.
func (p *peer) blame(fault string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, fault)
}

// wake tells those who wait. mu is held.
func (p *peer) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// write sends bytes as they are.
func (p *peer) write(b []byte) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.wire.Load().Add("in", b)
	_, err := p.process.Stdin.Write(b)
	return err
}

// frame is a body as it goes over the wire.
func (p *peer) frame(body []byte) []byte {
	var b bytes.Buffer
	_ = rpc.WriteFrame(&b, p.framing, body) // a buffer takes everything
	return b.Bytes()
}

// send frames a message and sends it. A message that is not as the schemas say is a fault, unless it is meant to be.
func (p *peer) send(body []byte, invalid bool) error {
	m, err := p.talk.Host(body)
	p.mu.Lock()
	switch {
	case invalid && err != nil:
		p.talk.Loosen()
	case invalid:
		p.faults = append(p.faults, "the vector calls a message invalid that is valid: "+report.Clip(body))
	case err != nil:
		p.faults = append(p.faults, fmt.Sprintf("the fake host's own message: %v\n  in %s", err, report.Clip(body)))
	}
	p.watch.host(m)
	p.mu.Unlock()
	return p.write(p.frame(body))
}

// request sends a request with a new id, which it gives.
func (p *peer) request(method string, params json.RawMessage, invalid bool) (id string, err error) {
	p.nextID++
	id = fmt.Sprint(p.nextID)
	body, err := marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", json.RawMessage(id), method, params})
	if err != nil {
		return "", err
	}
	return id, p.send(body, invalid)
}

// errGone means that nothing more can come.
var errGone = errors.New("the extension has ended")

// wait takes the first message that fits out of the inbox, as soon as there is one.
func (p *peer) wait(ctx context.Context, fits func(message) bool) (message, error) {
	for {
		p.mu.Lock()
		for i, m := range p.inbox {
			if fits(m) {
				p.inbox = append(p.inbox[:i:i], p.inbox[i+1:]...)
				p.mu.Unlock()
				return m, nil
			}
		}
		ended, changed := p.ended, p.changed
		p.mu.Unlock()
		if ended {
			return message{}, errGone
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return message{}, errors.New("nothing came in time")
		}
	}
}

// answer waits for the answer to a request.
func (p *peer) answer(ctx context.Context, id string) (message, error) {
	m, err := p.wait(ctx, func(m message) bool { return m.IsAnswer() && string(m.ID) == id })
	if err != nil {
		err = fmt.Errorf("no answer to request %s: %w", id, err)
	}
	return m, err
}

// settle gives the faults and the messages that nobody has taken, and forgets them.
func (p *peer) settle() (faults []string, left []message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	faults, left = p.faults, p.inbox
	p.faults, p.inbox = nil, nil
	return faults, left
}

// serve puts the canned host of the next check in place.
func (p *peer) serve(h *host) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.host = h
}

// A gate lets readers through, or holds them.
type gate struct {
	mu   sync.Mutex
	cond sync.Cond
	held bool // guarded by mu
}

func (g *gate) hold(held bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = held
	g.cond.Broadcast()
}

func (g *gate) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.held {
		g.cond.Wait()
	}
}

// A tap reads the extension's stdout through the gate and keeps what was read.
type tap struct{ p *peer }

func (t *tap) Read(b []byte) (int, error) {
	t.p.gate.pass()
	n, err := t.p.process.Stdout.Read(b)
	t.p.wire.Load().Add("out", b[:n])
	return n, err
}
