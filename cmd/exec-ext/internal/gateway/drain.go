package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// drainTime is how long requests may still be answered after the input has ended, as it does in a pipe.
const drainTime = 5 * time.Second

// openRequests are the requests of the client that have no answer yet. The end of the input is kept back from the MCP
// server for their sake, since it cancels what is open then.
type openRequests struct {
	mu    sync.Mutex
	ids   map[string]struct{} // guarded by mu
	ended bool                // guarded by mu: there are no more requests to come
	none  chan struct{}       // closed when ended and without open requests
}

func newOpenRequests() *openRequests {
	return &openRequests{ids: map[string]struct{}{}, none: make(chan struct{})}
}

// settle changes what is open and tells if that was all.
func (o *openRequests) settle(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
	if o.ended && len(o.ids) == 0 {
		select {
		case <-o.none:
		default:
			close(o.none)
		}
	}
}

// message is what matters here of a line, in either direction.
type message struct {
	Method string          `json:"method"`
	ID     json.RawMessage `json:"id"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

func (o *openRequests) received(line []byte) {
	var m message
	_ = json.Unmarshal(line, &m) // the server answers a bad line, or rejects it
	switch {
	case m.Method == "notifications/cancelled":
		o.settle(func() { delete(o.ids, string(m.Params.RequestID)) })
	case m.Method != "" && len(m.ID) > 0:
		o.settle(func() { o.ids[string(m.ID)] = struct{}{} })
	}
}

func (o *openRequests) sent(line []byte) {
	var m message
	if json.Unmarshal(line, &m) == nil && m.Method == "" {
		o.settle(func() { delete(o.ids, string(m.ID)) })
	}
}

// A drainReader gives the client's lines, the last one with a line end in any case.
type drainReader struct {
	ctx  context.Context
	in   *bufio.Reader
	rest []byte // of a line that has been read
	open *openRequests
}

func (o *openRequests) reader(ctx context.Context, in io.Reader) io.Reader {
	return &drainReader{ctx: ctx, in: bufio.NewReader(in), open: o}
}

func (r *drainReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		line, err := r.in.ReadBytes('\n')
		if len(line) == 0 {
			r.drain()
			return 0, err
		}
		r.rest = append(bytes.TrimSuffix(line, []byte("\n")), '\n')
		r.open.received(line)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *drainReader) drain() {
	r.open.settle(func() { r.open.ended = true })
	select {
	case <-r.open.none:
	case <-time.After(drainTime):
	case <-r.ctx.Done():
	}
}

// A drainWriter looks at the answers, of which the server writes each in one go.
type drainWriter struct {
	out  io.Writer
	open *openRequests
}

func (o *openRequests) writer(out io.Writer) io.Writer { return drainWriter{out, o} }

func (w drainWriter) Write(line []byte) (int, error) {
	n, err := w.out.Write(line)
	w.open.sent(line)
	return n, err
}
