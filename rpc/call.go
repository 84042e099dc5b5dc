package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/jsonrpc2"
)

// A call is one request of ours. The fields below mu are guarded by the session's mu until the call has returned.
type call struct {
	n      uint64 // its id on the wire too
	key    string
	method string
	params json.RawMessage // nil to leave them out
	room   int64

	// mu
	message *message // once it is queued
	settled bool     // result and err say how
	result  json.RawMessage
	err     error
}

type queuedKey struct{}

// OnQueued gives a context under which [Conn.Call] calls f once its request has its place among what is written: a Call
// that begins after that is written later. f must not block. A request that is never queued does not call it.
func OnQueued(ctx context.Context, f func()) context.Context {
	return context.WithValue(ctx, queuedKey{}, f)
}

func (s *session) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	raw, err := marshalParams(params)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	c := &call{method: method, params: raw}
	if err := s.acquireForCall(ctx, c); err != nil {
		return nil, err
	}
	if !s.enter(c) {
		s.release(c.room)
		return nil, ErrClosed
	}
	waiter, err := s.conn.DispatchCall(ctx, method, c.n, jsonrpc2.PickID(jsonrpc2.ID{Num: c.n}))
	if err != nil { // over, and writeCall was not asked
		s.mu.Lock()
		delete(s.calls, c.key)
		delete(s.sent, c.n)
		s.mu.Unlock()
		s.release(c.room)
		return nil, ErrClosed
	}
	if queued, ok := ctx.Value(queuedKey{}).(func()); ok {
		queued()
	}
	stop := context.AfterFunc(ctx, func() { s.abandon(c, ctx.Err()) })
	defer stop()
	if err := waiter.Wait(context.Background(), nil); err != nil {
		return nil, ErrClosed
	}
	return c.result, c.err
}

// marshalParams is marshal, but nothing stays nothing.
func marshalParams(params any) (json.RawMessage, error) {
	if raw, ok := params.(json.RawMessage); params == nil || ok && raw == nil {
		return nil, nil
	}
	return marshal(params)
}

// acquireForCall waits for room among the queued bytes.
func (s *session) acquireForCall(ctx context.Context, c *call) error {
	room, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.input, cancel)()
	c.room = s.roomFor(len(c.params) + len(c.method))
	if s.space.Acquire(room, c.room) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ErrClosed
}

// enter gives the call its id; false if the peer can not answer any more.
func (s *session) enter(c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.input.Err() != nil {
		return false
	}
	s.called++
	c.n = s.called
	c.key = strconv.FormatUint(c.n, 10)
	s.calls[c.key] = c
	s.sent[c.n] = c
	return true
}

// writeCall queues a call that jsonrpc2 has entered into its table.
func (s *session) writeCall(n uint64, method string) {
	parts := [][]byte{fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%s`, n, quote(method))}
	s.mu.Lock()
	c := s.sent[n]
	if c.params != nil {
		parts = append(parts, []byte(`,"params":`), c.params)
	}
	c.message = &message{parts: append(parts, []byte("}")), done: func() { s.release(c.room) }}
	late := c.settled // by the end of the input
	if late {
		s.resolve(c)
	}
	s.mu.Unlock()
	if late {
		s.release(c.room)
		return
	}
	s.put(c.message)
}

// settle decides a call's outcome, once. mu is held.
func (s *session) settle(c *call, result json.RawMessage, err error) bool {
	if c.settled {
		return false
	}
	c.settled, c.result, c.err = true, result, err
	delete(s.calls, c.key)
	if c.message != nil {
		s.resolve(c) // else jsonrpc2 does not know the call yet, and writeCall does it
	}
	return true
}

// resolve lets jsonrpc2 see an answer, so that Call returns and its table forgets the call. mu is held.
func (s *session) resolve(c *call) {
	delete(s.sent, c.n)
	s.settled = append(s.settled, c.n)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *session) nextSettled() (uint64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.settled) == 0 {
		return 0, false
	}
	n := s.settled[0]
	s.settled = s.settled[1:]
	return n, true
}

// settleByID settles the call that the peer answers under id, whatever its spelling; false if none waits. A defect
// of the answer is said to be the answer's.
func (s *session) settleByID(id, result json.RawMessage, err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[idKey(id)]
	if c == nil {
		return false
	}
	var bad *defect
	if errors.As(err, &bad) {
		err = fmt.Errorf("answer to %s: %w", c.method, err)
	}
	return s.settle(c, result, err)
}

// abandon gives up a call whose context has ended. The peer is told if it may have got the request.
func (s *session) abandon(c *call, cause error) {
	s.mu.Lock()
	first := s.settle(c, nil, cause)
	s.mu.Unlock()
	if first && !s.out.drop(c.message) {
		s.sendNote(methodCancel, &note{params: json.RawMessage(`{"id":` + c.key + `}`), urgent: true})
	}
}

// roomFor returns what a message of size bytes takes of the queue's room: all of it if it is larger.
func (s *session) roomFor(size int) int64 { return min(int64(size)+64, s.opts.bounds.queued) }

func (s *session) release(room int64) {
	if room > 0 {
		s.space.Release(room)
	}
}

// quote returns text as a JSON string.
func quote(text string) []byte {
	raw, _ := jsontext.AppendQuote(nil, text) // an invalid byte is replaced
	return raw
}

// valid tells whether raw is one JSON value in UTF-8.
func valid(raw json.RawMessage) bool {
	return utf8.Valid(raw) &&
		jsontext.Value(raw).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}
