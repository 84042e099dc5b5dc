package refhost

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Progress is what a server says of a call that takes long. Total is 0 if it is not known.
type Progress struct {
	Name            string // of the leaf
	Progress, Total float64
	Message         string
}

// call runs one tool and gives the raw CallToolResult. Silence, neither an answer nor progress, for longer than
// patience ends it (0: never). A JSON-RPC error of the server becomes a result with isError: it is the tool's answer.
// Any other error is a sentence for the script, or the context's own.
func (s *server) call(ctx context.Context, t tool, args json.RawMessage, patience time.Duration, onProgress func(Progress)) (json.RawMessage, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	heard := func() {}
	if patience > 0 {
		timer := time.AfterFunc(patience, func() { cancel(errSilent) })
		defer timer.Stop()
		heard = func() { timer.Reset(patience) }
	}
	token := s.expectProgress(func(p Progress) {
		heard()
		p.Name = t.flat
		onProgress(p)
	})
	defer s.forgetProgress(token)

	var a answer
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{
		Name: t.own, Arguments: args, Meta: &mcp.Meta{ProgressToken: token},
	}}
	session := s.session.Load()
	_, err := s.client.CallTool(withAnswer(ctx, &a), request)
	if errors.Is(err, transport.ErrSessionTerminated) && s.renew(ctx, session) == nil { // it was not looked at
		_, err = s.client.CallTool(withAnswer(ctx, &a), request)
	}
	switch {
	case a.err != nil:
		return errorResult(a.err.Message)
	case len(a.result) > 0 && err == nil:
		return a.result, nil
	case errors.Is(context.Cause(ctx), errSilent):
		return nil, sentence(textSilent, s.name, patience)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		return nil, sentence(textNoResult, s.name)
	case s.lost.Load(), hungUp(err):
		return nil, sentence(textDied, s.name, s.lastWords())
	}
	return nil, sentence(textCallFailed, s.name, plainError(err))
}

// renew shakes hands again with a server that has forgotten the session, as after a restart. Of calls that fail
// together the first one does it.
func (s *server) renew(ctx context.Context, forgotten int64) error {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	if s.session.Load() != forgotten {
		return nil
	}
	if _, err := s.client.Initialize(ctx, s.hello); err != nil {
		return err
	}
	s.session.Add(1)
	s.changed.Store(true) // it may be another server by now
	return nil
}

var errSilent = errors.New("no answer and no progress")

// errorResult is a CallToolResult with isError.
func errorResult(text string) (json.RawMessage, error) {
	return json.Marshal(map[string]any{
		"content": []any{map[string]string{"type": "text", "text": text}},
		"isError": true,
	})
}

// lastWords is "" or what is known of the process's end, ready to follow a sentence.
func (s *server) lastWords() string {
	if s.process == nil {
		return ""
	}
	return s.process.lastWords()
}

// expectProgress gives a token under which the server's progress is handed to f.
func (s *server) expectProgress(f func(Progress)) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastCall++
	token := strconv.Itoa(s.lastCall)
	s.calls[token] = f
	return token
}

func (s *server) forgetProgress(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, token)
}

// progressed hands a progress notification to its call. Other tokens are nobody's. In process the parameters are
// still the server's own Go values, so they are read by way of JSON.
func (s *server) progressed(params map[string]any) {
	var p struct {
		ProgressToken   string
		Progress, Total float64
		Message         string
	}
	raw, err := json.Marshal(params)
	if err != nil || json.Unmarshal(raw, &p) != nil {
		return
	}
	s.mu.Lock()
	f := s.calls[p.ProgressToken]
	s.mu.Unlock()
	if f != nil {
		f(Progress{Progress: p.Progress, Total: p.Total, Message: p.Message})
	}
}
