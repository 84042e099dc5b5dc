package rpc

import (
	"context"
	"encoding/json"
	"fmt"
)

// A note is a notification on its way through jsonrpc2.
type note struct {
	params json.RawMessage
	key    *string
	urgent bool
}

func (s *session) notify(key, method string, params any) {
	raw, err := marshalParams(params)
	if err != nil {
		s.log.Error().Err(err).Str("method", method).Msg("notification lost")
		return
	}
	s.sendNote(method, &note{params: raw, key: &key})
}

// sendNote hands a notification to jsonrpc2, which comes back with writeNote.
func (s *session) sendNote(method string, n *note) {
	s.mu.Lock()
	s.serial++
	serial := s.serial
	s.notes[serial] = n
	s.mu.Unlock()
	s.conn.Notify(context.Background(), method, serial) // fails if the connection is over, and then does no harm
	s.mu.Lock()
	delete(s.notes, serial)
	s.mu.Unlock()
}

func (s *session) writeNote(serial uint64, method string) {
	s.mu.Lock()
	n := s.notes[serial]
	s.mu.Unlock()
	parts := [][]byte{fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%s`, quote(method))}
	if n.params != nil {
		parts = append(parts, []byte(`,"params":`), n.params)
	}
	s.put(&message{parts: append(parts, []byte("}")), key: n.key, urgent: n.urgent})
}
