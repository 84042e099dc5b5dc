package refhost

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// A tool is one entry of tools/list.
type tool struct {
	own, flat string
	raw       json.RawMessage // with the flat name
}

// A listing is what tools/list gave. Of equal names the first one counts.
type listing struct {
	tools  []json.RawMessage // with flat names, in the server's order
	own    map[string]string // the server's own name by flat name
	digest [sha256.Size]byte // of tools
}

func (l *listing) add(t tool) {
	l.tools = append(l.tools, t.raw)
	if _, ok := l.own[t.flat]; !ok {
		l.own[t.flat] = t.own
	}
}

func (l *listing) seal() {
	hash := sha256.New()
	for _, raw := range l.tools {
		fmt.Fprintf(hash, "%d\n%s", len(raw), raw)
	}
	hash.Sum(l.digest[:0])
}

// list asks for all pages and keeps the tools. Entries that have no name are left out: nobody could call them.
func (s *server) list(ctx context.Context) error {
	s.listing.Lock()
	defer s.listing.Unlock()
	s.changed.Store(false) // a change from here on counts again
	l := listing{own: map[string]string{}}
	seen := map[mcp.Cursor]bool{}
	for cursor := mcp.Cursor(""); !seen[cursor]; {
		seen[cursor] = true
		page, err := s.page(ctx, cursor)
		if err != nil {
			s.changed.Store(true)
			return err
		}
		for _, raw := range page.Tools {
			if t, err := flatten(s.name, raw); err == nil {
				l.add(t)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	l.seal()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = l
	return nil
}

type toolsPage struct {
	Tools      []json.RawMessage `json:"tools"`
	NextCursor mcp.Cursor        `json:"nextCursor"`
}

func (s *server) page(ctx context.Context, cursor mcp.Cursor) (toolsPage, error) {
	var a answer
	request := mcp.ListToolsRequest{}
	request.Params.Cursor = cursor
	_, err := s.client.ListToolsByPage(withAnswer(ctx, &a), request)
	if a.err != nil && a.err.Code == mcp.METHOD_NOT_FOUND {
		return toolsPage{}, nil // a server without tools
	}
	if err != nil {
		return toolsPage{}, err
	}
	var page toolsPage
	if err := json.Unmarshal(a.result, &page); err != nil {
		return toolsPage{}, errors.New("its answer to tools/list has not the shape of MCP")
	}
	return page, nil
}

// snapshot gives the tools as last listed.
func (s *server) snapshot() listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listed
}
