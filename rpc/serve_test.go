package rpc

import (
	"bytes"
	"context"
	"encoding/json"

	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"
)

// A peer is the test's end of a connection: raw bytes in, bodies out.
type peer struct {
	t       *testing.T
	framing Framing
	in      *io.PipeWriter
	out     *io.PipeReader
	frames  *FrameReader
	conn    *Conn
	cancel  context.CancelFunc
	ended   chan struct{}
	err     error // of Serve, once ended is closed
	log     *lockedBuffer
}

// start serves table over two pipes.
func start(t *testing.T, framing Framing, opts Options, table func(*Conn) Table) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	p := &peer{
		t: t, framing: framing, in: inW, out: outR, frames: NewFrameReader(outR, framing, 1<<30),
		cancel: cancel, ended: make(chan struct{}), log: &lockedBuffer{},
	}
	opts.Log = zerolog.New(p.log)
	bound := make(chan struct{})
	go func() {
		defer close(p.ended)
		p.err = Serve(ctx, inR, outW, opts, func(c *Conn) Table {
			p.conn = c
			close(bound)
			return table(c)
		})
		inR.Close()
		outW.Close()
	}()
	<-bound
	t.Cleanup(func() {
		cancel()
		inW.Close()
		outR.Close()
		<-p.ended
	})
	return p
}

func (p *peer) send(bodies ...string) {
	p.t.Helper()
	var b bytes.Buffer
	for _, body := range bodies {
		if err := WriteFrame(&b, p.framing, []byte(body)); err != nil {
			p.t.Fatal(err)
		}
	}
	p.write(b.String())
}

func (p *peer) write(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text); err != nil {
		p.t.Fatalf("write: %v", err)
	}
}

func (p *peer) read() string {
	p.t.Helper()
	body, err := p.frames.Next()
	if err != nil {
		p.t.Fatalf("read: %v", err)
	}
	return string(body)
}

// want reads one message for each of the texts. A text that ends in ... is a prefix.
func (p *peer) want(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		got := p.read()
		prefix, open := strings.CutSuffix(text, "...")
		if got != text && !(open && strings.HasPrefix(got, prefix)) {
			p.t.Errorf("got  %s\nwant %s", short(got), short(text))
		}
	}
}

// wait returns what Serve returned.
func (p *peer) wait() error {
	p.t.Helper()
	<-p.ended
	return p.err
}

func short(text string) string {
	if len(text) > 300 {
		return fmt.Sprintf("%s... (%d bytes)", text[:300], len(text))
	}
	return text
}

// eachFraming runs the test in both framings.
func eachFraming(t *testing.T, test func(t *testing.T, framing Framing)) {
	t.Parallel()
	for _, framing := range []Framing{FramingContentLength, FramingNDJSON} {
		t.Run(string(framing), func(t *testing.T) {
			t.Parallel()
			test(t, framing)
		})
	}
}

// echo answers with its params as they came.
func echo(_ context.Context, params json.RawMessage) Job {
	return func(context.Context) (any, error) { return params, nil }
}

func fixed(table Table) func(*Conn) Table { return func(*Conn) Table { return table } }

func TestServe_EchoesRawBytesAndIDs(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, fixed(Table{"echo": echo}))
		for _, id := range []string{`1`, `0`, `-1`, `1.0`, `1e2`, `-0`, `"a"`, `""`, `"\u0061"`, `"\ud800"`, `"漢"`,
			strings.Repeat("9", 400), `1e999`, `18446744073709551616`} {
			for _, params := range []string{`{"z":1.0,"a":1e2,"b":"\u003c<","a":2}`, `[ 1 , "\ud83d" ]`, `null`, `{}`} {
				p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"echo","params":` + params + `}`)
				p.want(`{"jsonrpc":"2.0","id":` + id + `,"result":` + params + `}`)
			}
		}
		p.in.Close()
		if err := p.wait(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// A message may come in pieces of any size, cut inside headers and characters, and several may come in one.
func TestServe_Pieces(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, fixed(Table{"echo": echo}))
		var b bytes.Buffer
		var want []string
		for _, text := range []string{`"片"`, `"\u00fc漢"`, `"🚀"`} {
			if err := WriteFrame(&b, framing, []byte(`{"jsonrpc":"2.0","id":`+text+`,"method":"echo","params":[`+text+`]}`)); err != nil {
				t.Fatal(err)
			}
			want = append(want, `{"jsonrpc":"2.0","id":`+text+`,"result":[`+text+`]}`)
		}
		for size := 1; size < b.Len()+50; size += 1 + size/2 {
			for rest := b.String(); rest != ""; {
				n := min(size, len(rest))
				p.write(rest[:n])
				rest = rest[n:]
			}
			got := []string{p.read(), p.read(), p.read()}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("pieces of %d: got %q", size, got)
			}
		}
	})
}

func TestServe_CallsThePeer(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, func(c *Conn) Table {
			return Table{"run": func(_ context.Context, params json.RawMessage) Job {
				return func(ctx context.Context) (any, error) { return c.Call(ctx, "host/callTool", params) }
			}}
		})
		p.send(`{"jsonrpc":"2.0","id":"r","method":"run","params":{"b":1,"a":2}}`)
		p.want(`{"jsonrpc":"2.0","id":1,"method":"host/callTool","params":{"b":1,"a":2}}`)
		p.send(`{"result":{"z":[1.50],"a":null},"id":1.0,"jsonrpc":"2.0"}`)
		p.want(`{"jsonrpc":"2.0","id":"r","result":{"z":[1.50],"a":null}}`)
	})
}

// lockedBuffer collects log lines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
