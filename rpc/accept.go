package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
)

// accept takes one frame and returns the request or notification in it, if any.
func (s *session) accept(f frame) *request {
	if f.framing != FramingAuto {
		select {
		case s.framed <- f.framing:
		default: // told before
		}
	}
	var skipped *OversizeError
	var lost *FramingError
	switch {
	case f.err == nil:
		s.trace("in", f.body)
		return s.acceptMessage(f.body)
	case errors.As(f.err, &skipped):
		s.acceptOversize(skipped)
	case errors.As(f.err, &lost):
		s.log.Warn().Str("reason", lost.Reason).Msg("frame boundary lost")
		s.answerAtOnce(nil, NewError(CodeParse, "parse_error", lost.Error(), false, nil))
		s.end(lost)
	case errors.Is(f.err, io.EOF), errors.Is(f.err, io.ErrClosedPipe), errors.Is(f.err, os.ErrClosed):
		s.end(nil)
	case errors.Is(f.err, io.ErrUnexpectedEOF):
		s.log.Warn().Msg("input ended inside a message")
		s.end(nil)
	default:
		s.end(fmt.Errorf("read: %w", f.err))
	}
	return nil
}

func (s *session) acceptMessage(body []byte) *request {
	e, err := parse(body)
	if !e.isCall() {
		s.acceptAnswer(&e, err)
		return nil
	}
	if err == nil {
		err = e.check()
	}
	if err != nil {
		s.reject(e.id, err)
		return nil
	}
	s.malformed = 0
	return s.register(&e)
}

// acceptAnswer settles the call that e answers. err is what parse found.
func (s *session) acceptAnswer(e *envelope, err error) {
	if isID(e.id) {
		result, outcome := json.RawMessage(nil), err
		if err == nil {
			result, outcome = e.outcome()
		}
		if s.settleByID(e.id, result, outcome) {
			s.count(outcome)
			return
		}
	}
	id := e.id
	looksLikeAnswer := e.seen["result"] || e.seen["error"]
	if looksLikeAnswer {
		id = nil // else the peer would take what we say for the answer to a call of its own
	}
	if err == nil {
		err = e.checkVersion()
	}
	switch {
	case err != nil:
		s.reject(id, err)
	case !looksLikeAnswer:
		s.reject(id, shapeDefect("message is neither request nor answer"))
	case isID(e.id), bytes.Equal(e.id, []byte("null")):
		s.malformed = 0
		s.log.Debug().Msg("ignored an answer that no call waits for")
	default:
		s.reject(id, shapeDefect("answer has no usable id"))
	}
}

// acceptOversize answers a skipped message, or fails the call that it would have answered.
func (s *session) acceptOversize(skipped *OversizeError) {
	e, _ := scan(skipped.Head)
	tooLarge := NewError(CodeTooLarge, "too_large", "message is over the size limit", false, nil)
	tooLarge.Data = tooLarge.data() // raw, as if the peer had sent it
	s.log.Warn().Int64("bytes", skipped.Size).Msg("skipped an oversize message")
	if !isID(e.id) {
		e.id = nil
	}
	if e.id != nil && !e.isCall() && s.settleByID(e.id, nil, tooLarge) {
		return
	}
	if e.seen["result"] || e.seen["error"] {
		return // a late answer
	}
	s.answerAtOnce(bytes.Clone(e.id), tooLarge)
}

// reject answers a malformed message.
func (s *session) reject(id json.RawMessage, err error) {
	var bad *defect
	errors.As(err, &bad)
	if bad.code == CodeParse || !isID(id) {
		id = nil
	}
	s.log.Warn().Str("reason", bad.reason).Msg("malformed message")
	s.answerAtOnce(bytes.Clone(id), NewError(bad.code, bad.kind, bad.reason, false, nil))
	s.count(err)
}

// count ends the connection after too many malformed messages in a row.
func (s *session) count(err error) {
	var bad *defect
	if !errors.As(err, &bad) {
		s.malformed = 0
		return
	}
	if s.malformed++; s.malformed >= maxMalformed {
		s.end(&FramingError{strconv.Itoa(maxMalformed) + " malformed messages in a row"})
	}
}
