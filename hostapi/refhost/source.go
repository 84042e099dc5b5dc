package refhost

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// A Source is a server that can be connected. Its name is the second part of its tools' flat names.
type Source struct {
	name  string
	dials []dial // in the order to try; the next one only when the server refused the last
}

// Name is the server's name.
func (s Source) Name() string { return s.name }

// A dial is one way to speak to a server.
type dial struct {
	modern bool // without the initialize handshake (MCP 2026-07-28)
	open   func(on events) (*link, error)
}

// events are what a link tells on its own.
type events struct {
	end    func() // a process has ended its output
	listen func() // a stream of notifications is open: what was to be told before is not told
}

// A link is a transport that is not started yet, and what can be told about its other end.
type link struct {
	transport transport.Interface
	process   *process // of a stdio server
}

// InProcess is a server of this process.
func InProcess(name string, s *mcpserver.MCPServer) Source {
	open := func(events) (*link, error) { return &link{transport: transport.NewInProcessTransport(s)}, nil }
	return Source{name, []dial{{false, open}}}
}

// Source gives the server that s describes. Nothing is started yet.
//
// The handshake that every server knows is tried first. A server that refuses it is asked again without; a URL that
// still refuses may be of a server that knows only the older HTTP+SSE transport.
func (s Spec) Source() Source {
	if s.Fault != nil {
		return Source{s.Name, []dial{{false, func(events) (*link, error) { return nil, s.Fault }}}}
	}
	switch s.Transport {
	case TransportHTTP:
		return Source{s.Name, []dial{{false, s.openListeningHTTP}, {true, s.openHTTP}, {false, s.openSSE}}}
	case TransportSSE:
		return Source{s.Name, []dial{{false, s.openSSE}}}
	}
	return Source{s.Name, []dial{{false, s.openStdio}, {true, s.openStdio}}}
}

func (s Spec) openHTTP(events) (*link, error) { return s.streamable(http.DefaultTransport) }

// openListeningHTTP also keeps a stream open for notifications while no call is in flight.
func (s Spec) openListeningHTTP(on events) (*link, error) {
	//lint:ignore SA1019 the servers of today still notify this way; those of tomorrow are dialled without it
	return s.streamable(streamWatch{on.listen}, transport.WithContinuousListening())
}

// streamWatch tells of each stream of notifications that a server has opened.
type streamWatch struct{ opened func() }

func (w streamWatch) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == http.MethodGet && a.StatusCode == http.StatusOK {
		w.opened()
	}
	return a, err
}

func (s Spec) streamable(through http.RoundTripper, more ...transport.StreamableHTTPCOption) (*link, error) {
	t, err := transport.NewStreamableHTTP(s.URL, append(more,
		transport.WithHTTPHeaders(s.Headers),
		transport.WithHTTPBasicClient(&http.Client{Transport: through}),
		transport.WithHTTPLogger(slog.New(slog.DiscardHandler)))...)
	if err != nil {
		return nil, err
	}
	return &link{transport: t}, nil
}

func (s Spec) openSSE(events) (*link, error) {
	t, err := transport.NewSSE(s.URL,
		transport.WithHeaders(s.Headers),
		transport.WithHTTPClient(&http.Client{}),
		transport.WithResponseTimeout(24*time.Hour), // a call ends by its context, by nothing else
		transport.WithSSELogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, err
	}
	return &link{transport: t}, nil
}

// openStdio starts the process. Its pipes are handed to the transport, so that its end is noticed when it happens.
func (s Spec) openStdio(on events) (*link, error) {
	p, err := startProcess(s, on.end)
	if err != nil {
		return nil, err
	}
	return &link{transport: transport.NewIO(p.stdout, p.stdin, nil), process: p}, nil
}
