package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/sourcegraph/jsonrpc2"
)

const (
	methodCancel   = "$/cancelRequest"
	maxUrgentReply = 64 << 10 // a larger answer of an Urgent job waits its turn
)

// A request is one request or notification of the peer until it is answered.
type request struct {
	n      uint64          // the id jsonrpc2 knows it by
	id     json.RawMessage // as sent; nil for a notification
	method string
	params json.RawMessage

	ctx       context.Context
	cancel    context.CancelFunc
	cancelled atomic.Bool // by the peer

	value  json.RawMessage // once there is one: the result, or the data of the error
	urgent bool
	room   int64 // bytes of the normal lane it holds
}

func (r *request) isNotification() bool { return r.id == nil }

// standIn is what jsonrpc2 gets to see.
func (r *request) standIn() []byte {
	m := map[string]any{"jsonrpc": "2.0", "method": r.method, "params": r.n}
	if !r.isNotification() {
		m["id"] = r.n
	}
	text, _ := json.Marshal(m) // strings and numbers only
	return text
}

// register makes the request live, so that a cancel that follows it finds it whatever has run by then.
func (s *session) register(e *envelope) *request {
	method, _ := unquote(e.method) // checked
	// The id is copied: it lives as long as the request and would keep the whole body.
	r := &request{id: bytes.Clone(e.id), method: method, params: e.params}
	s.mu.Lock()
	if !r.isNotification() && len(s.live) >= s.opts.bounds.live {
		s.mu.Unlock()
		s.answerAtOnce(r.id, NewError(CodeOverloaded, "overloaded", "too many requests are unanswered", true, nil))
		return nil
	}
	s.serial++
	r.n = s.serial
	r.ctx, r.cancel = context.WithCancel(s.jobs)
	if r.isNotification() {
		r.ctx = context.WithValue(r.ctx, notificationKey{}, true)
	}
	s.live[r.n] = r
	s.mu.Unlock()
	return r
}

// Handle is called by jsonrpc2 on the read loop.
func (s *session) Handle(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	var n uint64
	if err := json.Unmarshal(*req.Params, &n); err != nil {
		panic(err) // the stand-in is ours
	}
	s.mu.Lock()
	r := s.live[n]
	s.mu.Unlock()
	method, known := s.table[r.method]
	params := r.params
	r.params = nil // the body is the Method's from here on
	switch {
	case r.isNotification() && r.method == methodCancel:
		s.cancelByID(params)
		s.finish(r)
		return
	case !known && r.isNotification():
		s.finish(r)
		return
	case !known:
		r.urgent = true
		s.answer(r, nil, NewError(CodeMethodNotFound, "method_not_found", "no such method", false, nil))
		return
	}
	job, err := s.prepare(r, method, params)
	switch {
	case err != nil:
		r.urgent = true
		s.answer(r, nil, err)
	case job == nil && r.isNotification():
		s.finish(r)
	case job == nil:
		r.urgent = true
		s.answer(r, nil, nil)
	case r.isNotification() && s.liveCount() > s.opts.bounds.live:
		s.log.Warn().Str("method", r.method).Msg("dropped a notification, too many jobs run")
		s.finish(r)
	default:
		go s.run(r, job)
	}
}

// cancelByID ends the contexts of the live requests with the id in params: those spelled so, else those equal to it.
func (s *session) cancelByID(params json.RawMessage) {
	e, err := scan(params)
	if err != nil || !isID(e.id) {
		s.log.Debug().Msg("ignored a cancel without a usable id")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var same, equal []*request
	key := idKey(e.id)
	for _, r := range s.live {
		switch {
		case r.isNotification():
		case bytes.Equal(r.id, e.id):
			same = append(same, r)
		case idKey(r.id) == key:
			equal = append(equal, r)
		}
	}
	if len(same) == 0 {
		same = equal
	}
	for _, r := range same {
		r.cancelled.Store(true)
		r.cancel()
	}
}

// prepare calls a Method.
func (s *session) prepare(r *request, method Method, params json.RawMessage) (job Job, err error) {
	defer s.recovered(r, &err, new(true))
	return method(r.ctx, params), nil
}

// run calls a Job and answers.
func (s *session) run(r *request, job Job) {
	var value any
	var err error
	defer func() { s.answer(r, value, err) }() // also after runtime.Goexit
	var returned bool
	defer s.recovered(r, &err, &returned)
	value, err = job(r.ctx)
	returned = true
}

// recovered turns a panic, or a goroutine that did not return, into an error and logs its stack. The value of a
// panic may quote the peer and is not logged, but for the runtime's own errors.
func (s *session) recovered(r *request, err *error, returned *bool) {
	p := recover()
	if p == nil && *returned {
		return
	}
	e, incident := internal()
	*err = e
	line := s.log.Error().Str("incident", incident).Str("method", r.method).Str("type", fmt.Sprintf("%T", p)).
		Bytes("stack", debug.Stack())
	if own, ok := p.(runtime.Error); ok {
		line = line.Str("panic", own.Error())
	}
	line.Msg("panic")
}
