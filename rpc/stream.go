package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
