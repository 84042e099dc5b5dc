package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/exec-ext/exec-ext/conformance/child"
	"github.com/exec-ext/exec-ext/conformance/schema"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
)

// ErrNoStart is wrapped by errors about the command.
var ErrNoStart = errors.New("the command does not start")

// patience is how long a message that was recorded is waited for.
const patience = 30 * time.Second

// Replay plays the last session of a trace against a command, which speaks the protocol on its stdio: the host's
// messages go out in the order of the recording, each once everything that was recorded before it has come. It gives
// the first difference, "" if there is none, and how many messages were compared. Requests of the extension are matched
// by method and params, and where no params fit by method and order; notifications of the extension are not compared.
// An error wraps ErrTrace or ErrNoStart.
func Replay(ctx context.Context, path string, command []string, stderr io.Writer) (first string, compared int, err error) {
	session, err := readSession(path)
	if err != nil {
		return "", 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	process, err := child.Start(command, stderr)
	if err != nil {
		return "", 0, fmt.Errorf("%w: %w", ErrNoStart, err)
	}
	defer process.Kill() // how it ends after the recording says nothing
	defer context.AfterFunc(ctx, process.Stop)()
	p := &player{ctx: ctx, stdin: process.Stdin, came: make(chan message), ids: map[string]json.RawMessage{}}
	go p.read(process.Stdout)
	first = p.play(session)
	process.Stdin.Close()
	if first == "" {
		first = p.rest()
	}
	return first, p.compared, nil
}

// A message is one of the build under test.
type message struct {
	schema.Message
	body json.RawMessage
}

// A player is the host of a recording.
type player struct {
	ctx      context.Context
	stdin    io.Writer
	came     chan message // closed at the end of stdout
	inbox    []message
	ids      map[string]json.RawMessage // ids of the extension's requests: as recorded, to those of now
	compared int
}

func (p *player) read(stdout io.Reader) {
	defer close(p.came)
	frames := rpc.NewFrameReader(stdout, rpc.FramingNDJSON, 1<<30)
	for {
		body, err := frames.Next()
		if err != nil {
			return
		}
		m, err := schema.Parse(body)
		if err != nil || m.Method != "" && !m.IsRequest() {
			continue // no message, or a notification
		}
		select {
		case p.came <- message{m, body}:
		case <-p.ctx.Done():
			return
		}
	}
}

func (p *player) play(session []line) string {
	for _, l := range session {
		what, d := "", ""
		switch {
		case l.Dir == "in":
			what, d = "host", p.send(l)
		case l.Message != nil:
			what, d = p.expect(l)
		}
		if d != "" {
			return fmt.Sprintf("line %d: %s: %s", l.number, what, d)
		}
	}
	return ""
}

// send gives the build what the host sent, answers under the ids of now, and without a process that is gone by now.
func (p *player) send(l line) string {
	body := []byte(l.Message)
	if l.Text != nil {
		body = []byte(*l.Text)
	}
	if m, err := schema.Parse(body); err == nil {
		switch {
		case m.Method == hostapi.MethodInitialize:
			body = withMember(body, "params", withMember(m.Params, "processId", json.RawMessage("null")))
		case m.IsAnswer() && p.ids[string(m.ID)] != nil:
			body = withMember(body, "id", p.ids[string(m.ID)])
		}
	}
	if err := rpc.WriteFrame(p.stdin, rpc.FramingNDJSON, body); err != nil {
		return "the build takes no more messages: " + err.Error()
	}
	return ""
}

// withMember puts another value in the place of a member.
func withMember(object json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(object, &all) != nil {
		return object
	}
	all[name] = value
	out, err := json.Marshal(all)
	if err != nil {
		return object
	}
	return out
}

// expect waits for what was recorded and compares it.
func (p *player) expect(l line) (what, difference string) {
	recorded, err := schema.Parse(l.Message)
	if err != nil || recorded.Method != "" && !recorded.IsRequest() {
		return "", ""
	}
	p.compared++
	if recorded.IsAnswer() {
		return p.expectAnswer(recorded)
	}
	what = "request " + recorded.Method
	m, err := p.take(recorded.Method, recorded.Params)
	if err != nil {
		return what, err.Error()
	}
	p.ids[string(recorded.ID)] = m.ID
	return what, p.compare(recorded.Params, m.Params)
}

func (p *player) expectAnswer(recorded schema.Message) (what, difference string) {
	what = "answer to id " + string(recorded.ID)
	m, err := p.wait(func(m message) bool { return m.IsAnswer() && string(m.ID) == string(recorded.ID) })
	switch {
	case err != nil:
		return what, err.Error()
	case recorded.Error != nil:
		return what, p.compare(recorded.Error, m.Error)
	case m.Error != nil:
		return what, "recorded a result, now the error " + string(m.Error)
	}
	return what, p.compare(recorded.Result, m.Result)
}

func (p *player) compare(want, got json.RawMessage) string {
	d, err := difference(want, got)
	if err != nil {
		return err.Error()
	}
	return d
}

// settle is how long other requests of a method are waited for when the first one has not the params recorded.
const settle = time.Second

// take gives the request with these params; if none comes, the first one of the method.
func (p *player) take(method string, params json.RawMessage) (message, error) {
	of := func(m message) bool { return m.Method == method }
	if _, err := p.look(of, patience); err != nil {
		return message{}, err
	}
	same := func(m message) bool { return of(m) && p.compare(params, m.Params) == "" }
	if _, err := p.look(same, settle); err == nil {
		return p.wait(same)
	}
	return p.wait(of)
}

// wait takes the first message that fits.
func (p *player) wait(fits func(message) bool) (message, error) {
	i, err := p.look(fits, patience)
	if err != nil {
		return message{}, err
	}
	m := p.inbox[i]
	p.inbox = append(p.inbox[:i:i], p.inbox[i+1:]...)
	return m, nil
}

// look waits until a message that fits is in the inbox, and gives its place.
func (p *player) look(fits func(message) bool, within time.Duration) (int, error) {
	late := time.NewTimer(within)
	defer late.Stop()
	for i := 0; ; i++ {
		if i < len(p.inbox) {
			if fits(p.inbox[i]) {
				return i, nil
			}
			continue
		}
		select {
		case m, open := <-p.came:
			if !open {
				return 0, errors.New("recorded, but the build has ended")
			}
			p.inbox = append(p.inbox, m)
			i--
		case <-late.C:
			return 0, errors.New("recorded, but it does not come")
		case <-p.ctx.Done():
			return 0, p.ctx.Err()
		}
	}
}

// rest says what the build sent beyond the recording, once its input is closed.
func (p *player) rest() string {
	if _, err := p.look(func(message) bool { return true }, settle); err == nil {
		return fmt.Sprintf("after the last line: not recorded, now %s", shown(p.inbox[0].body))
	}
	return ""
}
