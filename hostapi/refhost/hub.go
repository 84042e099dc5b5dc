package refhost

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// HubOptions of Connect. The functions are called from any goroutine and must not block; nil ones are left out.
type HubOptions struct {
	Version        string                         // of the host, told to the servers
	ConnectTimeout time.Duration                  // for one server's start, handshake and list; 0 = 30 s
	CallTimeout    time.Duration                  // longest silence of a server during a call; 0 = no limit
	Trouble        func(server string, err error) // a server that is left out or was lost
	Changed        func()                         // the pool may be another one now
	Progress       func(Progress)
}

// A Hub is the set of connected servers. Its methods may be called from any goroutine.
type Hub struct {
	o       HubOptions
	servers []*server // by name
}

// Connect starts all sources at once and waits until each has answered or failed. One that fails is reported to
// Trouble and left out; the Hub lives without it.
func Connect(ctx context.Context, sources []Source, o HubOptions) *Hub {
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, 30*time.Second)
	if o.Trouble == nil {
		o.Trouble = func(string, error) {}
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	h := &Hub{o: o}
	me := mcp.Implementation{Name: "exec-ext", Version: cmp.Or(o.Version, "0")}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, source := range sources {
		wg.Go(func() {
			within, cancel := context.WithTimeout(ctx, o.ConnectTimeout)
			defer cancel()
			s, err := connect(within, source, me, o.Changed)
			if ctx.Err() != nil && err != nil {
				return // called off: no fault of the server
			}
			if err != nil {
				o.Trouble(source.name, connectError(err, o.ConnectTimeout))
				return
			}
			mu.Lock()
			defer mu.Unlock()
			h.servers = append(h.servers, s)
		})
	}
	wg.Wait()
	slices.SortFunc(h.servers, func(a, b *server) int { return cmp.Compare(a.name, b.name) })
	return h
}

// Servers names those that are connected now.
func (h *Hub) Servers() []string {
	var names []string
	for _, s := range h.servers {
		if !s.lost.Load() {
			names = append(names, s.name)
		}
	}
	return names
}

// Instructions are a server's own words on how to use it. They are no part of the catalog: a host gives them to the
// model by a channel of their own, whole.
type Instructions struct{ Server, Text string }

// Instructions gives those of the connected servers, in the order of their names.
func (h *Hub) Instructions() []Instructions {
	var all []Instructions
	for _, s := range h.servers {
		if s.advice != "" && !s.lost.Load() {
			all = append(all, Instructions{s.name, s.advice})
		}
	}
	return all
}

// Pool gives the tools of all connected servers, as tools/list sent them but under their flat names, and a revision
// that is equal exactly when they are. Servers that announced a change are asked first.
func (h *Hub) Pool(ctx context.Context) (tools []json.RawMessage, revision string) {
	var wg sync.WaitGroup
	for _, s := range h.servers {
		if s.changed.Load() && !s.lost.Load() {
			wg.Go(func() { h.refresh(ctx, s) })
		}
	}
	wg.Wait()
	hash := sha256.New()
	tools = []json.RawMessage{}
	for _, s := range h.servers {
		if s.lost.Load() {
			continue
		}
		l := s.snapshot()
		tools = append(tools, l.tools...)
		hash.Write(l.digest[:])
	}
	return tools, hex.EncodeToString(hash.Sum(nil)[:16])
}

// refresh lists a server's tools again; on an error the old list stays and the next call of Pool tries anew.
func (h *Hub) refresh(ctx context.Context, s *server) {
	ctx, cancel := context.WithTimeout(ctx, h.o.ConnectTimeout)
	defer cancel()
	if err := s.list(ctx); err != nil {
		h.o.Trouble(s.name, fmt.Errorf("its tools could not be listed again: %w", connectError(s.explain(err), h.o.ConnectTimeout)))
	}
}

// Call runs one leaf by its flat name and gives the raw CallToolResult. The error is a sentence for the script, or
// the context's own.
func (h *Hub) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	s, t, ok := h.find(name)
	switch {
	case !ok:
		return nil, sentence(textGone, name)
	case s.lost.Load():
		return nil, sentence(textDead, s.name)
	}
	result, err := s.call(ctx, t, args, h.o.CallTimeout, h.o.Progress)
	if err != nil && s.lost.Load() {
		h.o.Trouble(s.name, err)
		h.o.Changed()
	}
	return result, err
}

// find is the pool's rule for equal names: the first server has it.
func (h *Hub) find(name string) (*server, tool, bool) {
	for _, s := range h.servers {
		if own, ok := s.snapshot().own[name]; ok {
			return s, tool{own: own, flat: name}, true
		}
	}
	return nil, tool{}, false
}

// Close ends every connection and every process that Connect started.
func (h *Hub) Close() {
	var wg sync.WaitGroup
	for _, s := range h.servers {
		wg.Go(s.close)
	}
	wg.Wait()
}
