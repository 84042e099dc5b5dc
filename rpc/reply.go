package rpc

import (
	"context"
	"github.com/sourcegraph/jsonrpc2"
)

// answer sends what a request came to: err if it is not nil, else value. It waits for room among the queued bytes,
// unless the request is urgent, as long as the connection lives.
func (s *session) answer(r *request, value any, err error) {
	if u, ok := value.(urgentResult); ok {
		value, r.urgent = u.value, true
	}
	if r.isNotification() {
		if err != nil {
			s.log.Warn().Err(err).Str("method", r.method).Msg("notification failed")
		}
		s.finish(r)
		return
	}
	var fault *Error
	if err == nil {
		r.value, err = marshal(value)
	}
	if err != nil {
		var incident string
		if fault, incident = asError(err, r.cancelled.Load()); incident != "" {
			s.log.Error().Err(err).Str("incident", incident).Str("method", r.method).Msg("request failed")
		}
	}
	s.send(r, fault)
}

// send hands the answer to jsonrpc2, which comes back with writeAnswer.
func (s *session) send(r *request, fault *Error) {
	var size int
	if fault != nil {
		r.value = fault.data()
		size = len(fault.Message)
	}
	size += len(r.value)
	if r.urgent = r.urgent && size <= maxUrgentReply; !r.urgent {
		room := s.roomFor(size + len(r.id))
		if s.space.Acquire(s.over, room) != nil {
			s.finish(r)
			return
		}
		r.room = room
	}
	id := jsonrpc2.ID{Num: r.n}
	var err error
	if fault != nil {
		standIn := &jsonrpc2.Error{Code: int64(fault.Code), Message: fault.Message}
		standIn.SetError(r.n)
		err = s.conn.ReplyWithError(context.Background(), id, standIn)
	} else {
		err = s.conn.Reply(context.Background(), id, r.n)
	}
	if err != nil { // over
		s.finish(r)
	}
}

// writeAnswer queues the answer of a live request, an error if fault is not nil.
func (s *session) writeAnswer(n uint64, fault *wireError) {
	s.mu.Lock()
	r := s.live[n]
	s.mu.Unlock()
	s.put(&message{parts: answerParts(r.id, fault, r.value), urgent: r.urgent, done: func() { s.finish(r) }})
}

// finish forgets a request: it is answered or needs no answer.
func (s *session) finish(r *request) {
	r.cancel()
	s.release(r.room)
	r.room = 0
	s.mu.Lock()
	delete(s.live, r.n)
	s.mu.Unlock()
	s.checkDone()
}
