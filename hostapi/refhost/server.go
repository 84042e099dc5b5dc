package refhost

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// A server is one connected MCP server.
type server struct {
	name    string
	client  *client.Client
	process *process
	end     context.CancelFunc // ends what the transport does in the background
	changed atomic.Bool        // tools/list must be asked again
	lost    atomic.Bool        // the connection is gone
	listing sync.Mutex         // held while tools are listed

	hello    mcp.InitializeRequest
	advice   string       // the server's instructions, set when it was greeted first
	renewing sync.Mutex   // held while a session is renewed
	session  atomic.Int64 // how often it was

	mu       sync.Mutex
	listed   listing                   // guarded by mu: replaced as a whole, never changed
	calls    map[string]func(Progress) // guarded by mu: by progress token
	lastCall int                       // guarded by mu
}

// connect opens the first way that the server does not refuse. onChange is called when the tools may have changed
// or the connection is gone; it may not block.
func connect(ctx context.Context, s Source, me mcp.Implementation, onChange func()) (*server, error) {
	var first error
	for _, d := range s.dials {
		srv, refused, err := d.connect(ctx, s.name, me, onChange)
		if err == nil {
			return srv, nil
		}
		if first == nil {
			first = err
		}
		if !refused {
			break
		}
	}
	return nil, first
}

func (d dial) connect(ctx context.Context, name string, me mcp.Implementation, onChange func()) (_ *server, refused bool, err error) {
	srv := &server{name: name, calls: map[string]func(Progress){}}
	srv.hello.Params.ClientInfo = me
	gone := func() {
		srv.lost.Store(true)
		onChange()
	}
	changed := func() {
		srv.changed.Store(true)
		onChange()
	}
	l, err := d.open(events{end: gone, listen: changed})
	if err != nil {
		return nil, false, err
	}
	options := []client.ClientOption{client.WithProtocolVersion(mcp.LATEST_LEGACY_PROTOCOL_VERSION)}
	if d.modern {
		options = []client.ClientOption{client.WithProtocolVersion(mcp.LATEST_PROTOCOL_VERSION)}
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	srv.client, srv.process, srv.end = client.NewClient(record(l.transport), options...), l.process, end
	srv.client.OnNotification(func(n mcp.JSONRPCNotification) {
		switch n.Method {
		case string(mcp.MethodNotificationToolsListChanged), mcp.MethodNotificationSubscriptionsAcknowledged:
			changed()
		case string(mcp.MethodNotificationProgress):
			srv.progressed(n.Params.AdditionalFields)
		}
	})
	srv.client.OnConnectionLost(func(error) {
		gone()
		go srv.client.Close() // ends the calls that wait for an answer
	})
	if refused, err = srv.start(ctx, life, d.modern); err != nil {
		err = srv.explain(err)
		srv.close()
		return nil, refused, err
	}
	return srv, false, nil
}

// start shakes hands and lists the tools. refused says that the server answered and would have none of it.
func (s *server) start(ctx, life context.Context, modern bool) (refused bool, err error) {
	stop := context.AfterFunc(ctx, s.end)
	defer stop()
	if err := s.client.Start(life); err != nil {
		return false, err
	}
	var a answer
	met, err := s.client.Initialize(withAnswer(ctx, &a), s.hello)
	if err != nil {
		return a.err != nil || errors.Is(err, transport.ErrLegacySSEServer), err
	}
	s.advice = met.Instructions
	if modern {
		go s.listen(life)
	}
	return false, s.list(ctx)
}

// listenAgain is how long after the loss of a stream of notifications the next is asked for.
const listenAgain = time.Second

// listen keeps a stream of notifications open for as long as the connection lives. The acknowledgement of each stream
// counts as a change, since a change before it was told to nobody. A server that refuses has no such stream.
func (s *server) listen(life context.Context) {
	for {
		var a answer
		err := s.client.Listen(withAnswer(life, &a), mcp.SubscriptionFilter{ToolsListChanged: true})
		if life.Err() != nil || err != nil && a.err != nil {
			return
		}
		select {
		case <-life.Done():
			return
		case <-time.After(listenAgain):
		}
	}
}

// explain adds what is known of a process to an error of its connection.
func (s *server) explain(err error) error {
	if s.process == nil || !hungUp(err) {
		return err
	}
	return ended{err, s.process.lastWords()}
}

// hungUp tells whether err says that there is nobody at the other end.
func hungUp(err error) bool {
	return errors.Is(err, transport.ErrTransportClosed) || errors.Is(err, syscall.EPIPE)
}

// close ends the connection and the process.
func (s *server) close() {
	s.end()
	s.client.Close()
	if s.process != nil {
		s.process.stop()
	}
}
