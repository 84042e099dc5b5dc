package refhost

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
	"github.com/rs/zerolog"
)

// An Extension is the program at the other end: it serves the protocol on in and out and returns its exit code.
type Extension func(ctx context.Context, in io.Reader, out io.Writer) int

// SessionOptions of Open.
type SessionOptions struct {
	Version string          // of the host
	Config  json.RawMessage // see hostapi.Config; nil = the defaults
	Framing rpc.Framing     // "" = ndjson
	Log     zerolog.Logger
}

// A Session is one connection to an extension, initialized.
type Session struct {
	hostapi.Extension
	Hello hostapi.InitializeResult

	hangUp func()
	done   sync.WaitGroup
}

// Open starts the extension at the other end of two pipes and says hello. The same bytes would go over the stdio of
// a process.
func Open(ctx context.Context, extension Extension, h *Host, o SessionOptions) (*Session, error) {
	toExtension, fromHost := io.Pipe()
	toHost, fromExtension := io.Pipe()
	ctx = context.WithoutCancel(ctx) // the session ends by Close, so that a cancelled run still gives its result
	s := &Session{hangUp: func() { fromHost.Close() }}
	s.done.Go(func() {
		extension(ctx, toExtension, fromExtension)
		fromExtension.Close()
		toExtension.Close()
	})
	connected := make(chan *rpc.Conn, 1)
	framing := o.Framing
	if framing == "" {
		framing = rpc.FramingNDJSON
	}
	s.done.Go(func() {
		bind := func(c *rpc.Conn) rpc.Table {
			connected <- c
			return h.table()
		}
		if err := rpc.Serve(ctx, toHost, fromHost, rpc.Options{Framing: framing, Log: o.Log}, bind); err != nil {
			o.Log.Error().Err(err).Msg("the connection to the extension broke")
		}
		toHost.Close()
		fromHost.Close()
	})
	s.Extension = hostapi.NewExtension(<-connected)
	if err := s.hello(ctx, h, o); err != nil {
		s.hangUp()
		s.done.Wait()
		return nil, fmt.Errorf("the extension did not start: %w", err)
	}
	return s, nil
}

func (s *Session) hello(ctx context.Context, h *Host, o SessionOptions) (err error) {
	pid := os.Getpid()
	s.Hello, err = s.Initialize(ctx, hostapi.InitializeParams{
		ProtocolVersion: hostapi.ProtocolVersion,
		ClientInfo:      hostapi.Implementation{Name: "exec-ext", Version: o.Version},
		ProcessID:       &pid,
		Capabilities:    h.capabilities(),
		Config:          o.Config,
	})
	if err == nil && s.Hello.ProtocolVersion != hostapi.ProtocolVersion {
		err = fmt.Errorf("it speaks version %d of the protocol, not %d", s.Hello.ProtocolVersion, hostapi.ProtocolVersion)
	}
	return err
}

// Close says goodbye and waits until the extension and its workers are gone. One that does not go is hung up on.
func (s *Session) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	err := s.Shutdown(ctx)
	s.Exit()
	late := time.AfterFunc(goodbye, s.hangUp)
	defer late.Stop()
	s.done.Wait()
	return err
}

const goodbye = 5 * time.Second
