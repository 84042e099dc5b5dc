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

// The session is jsonrpc2's ObjectStream. What it hands to the Conn is well-formed and small: the Conn closes the
// connection at anything it can not read.

// ReadObject waits for the next request, notification or answer and stores its stand-in in v. Whatever is wrong with
// a message is answered here. It returns io.EOF when Serve is over, not when the input is: answers are still due.
func (s *session) ReadObject(v any) error {
	for {
		if n, ok := s.nextSettled(); ok {
			return json.Unmarshal(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":%d}`, n, n), v)
		}
		frames := s.frames
		if s.input.Err() != nil {
			frames = nil
		}
		select {
		case f := <-frames:
			if r := s.accept(f); r != nil {
				return json.Unmarshal(r.standIn(), v)
			}
		case <-s.wake:
		case <-s.over.Done():
			return io.EOF
		}
	}
}

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

// WriteObject queues the message whose stand-in obj is. It never blocks: jsonrpc2 calls it under its sending lock.
func (s *session) WriteObject(obj any) error {
	text, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	var m struct {
		ID     uint64
		Method *string
		Params *uint64
		Error  *wireError
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	switch {
	case m.Method == nil:
		s.writeAnswer(m.ID, m.Error)
	case m.ID != 0:
		s.writeCall(m.ID, *m.Method)
	default:
		s.writeNote(*m.Params, *m.Method)
	}
	return nil
}

// Close is asked for by jsonrpc2 at the end; the pipes belong to Serve's caller.
func (s *session) Close() error { return nil }

// put queues a message. When the urgent lane grows past its bound the peer has stopped reading and goes on
// sending: then the connection ends, since neither may the lane grow nor the read loop wait.
func (s *session) put(m *message) {
	if s.out.put(m) > s.opts.bounds.urgent {
		s.fail(errors.New("write: the peer does not read its answers"))
	}
}

// answerAtOnce answers from the read loop, past jsonrpc2, what it never sees. A nil id is null.
func (s *session) answerAtOnce(id json.RawMessage, e *Error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	s.put(&message{urgent: true, parts: answerParts(id, &wireError{e.Code, e.Message}, e.data())})
}

// A wireError is what jsonrpc2 sees of an error object, the data aside.
type wireError struct {
	Code    int
	Message string
}

// answerParts returns an answer whose result, or error's data, is value.
func answerParts(id json.RawMessage, fault *wireError, value json.RawMessage) [][]byte {
	head := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,`, id)
	if fault == nil {
		return [][]byte{append(head, `"result":`...), value, []byte("}")}
	}
	head = fmt.Appendf(head, `"error":{"code":%d,"message":%s,"data":`, fault.Code, quote(fault.Message))
	return [][]byte{head, value, []byte("}}")}
}

// marshal encodes v once. [json.RawMessage] stays as it is (nil is null); of other values nothing is escaped for HTML.
func marshal(v any) (json.RawMessage, error) {
	if raw, ok := v.(json.RawMessage); ok && raw != nil {
		if !valid(raw) {
			return nil, errors.New("raw message is not JSON")
		}
		return raw, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
