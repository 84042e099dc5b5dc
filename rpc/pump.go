package rpc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// read hands frames to the read loop until one of them is the last. It is not waited for: a Read may be stuck in
// a pipe that somebody else holds open.
func (s *session) read(in io.Reader) {
	frames := NewFrameReader(in, s.opts.Framing, s.opts.MaxMessageBytes)
	for {
		body, err := frames.Next()
		select {
		case s.frames <- frame{body, err, frames.Framing()}:
		case <-s.over.Done():
			return
		}
		var skipped *OversizeError
		if err != nil && !errors.As(err, &skipped) {
			return
		}
	}
}

// write is the only writer of out. Small messages share a write; a large one is not copied.
func (s *session) write(out io.Writer) {
	framing := s.opts.Framing
	if framing == FramingAuto {
		select {
		case framing = <-s.framed:
		case <-s.input.Done():
			select {
			case framing = <-s.framed:
			default: // the peer has never spoken
				s.out.close()
				s.checkDone()
				return
			}
		}
	}
	w := bufio.NewWriterSize(out, 64<<10)
	for {
		m := s.out.take()
		var err error
		if m == nil {
			err = w.Flush()
		} else {
			s.trace("out", m.parts...)
			err = writeParts(w, framing, m.parts)
			m.finish()
		}
		if err != nil {
			s.fail(fmt.Errorf("write: %w", err))
			return
		}
		if m != nil {
			continue
		}
		s.out.flushed()
		s.checkDone()
		select {
		case <-s.out.wake:
		case <-s.over.Done():
			return
		}
	}
}

func (s *session) trace(dir string, parts ...[]byte) {
	if s.opts.Trace == nil {
		return
	}
	body := parts[0]
	if len(parts) > 1 {
		body = nil
		for _, p := range parts {
			body = append(body, p...)
		}
	}
	s.tracing.Lock()
	defer s.tracing.Unlock()
	s.opts.Trace(dir, body)
}
