package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Pool is the set of tools that exist now: immutable, shared, and made by NewPool only. Its methods may be called
// concurrently; what they render is kept on it.
type Pool struct {
	groups []poolGroup // by name
	byName map[string]*entry
	byRaw  map[string]*entry // for the pool that comes after this one

	mu    sync.Mutex
	last  Options // of text
	text  *Listing
	index *index
}

// A poolGroup holds the tools of one server, by name.
type poolGroup struct {
	name    string
	entries []*entry
}

// NewPool applies the deny patterns, drops names without Prefix, keeps the first of equal names, and says in
// warnings what it dropped beside the denied and why. It never fails: a tool with a malformed schema stays, a tool
// without a usable name is dropped.
func NewPool(s Snapshot) (pool *Pool, warnings []string) {
	p := &Pool{byName: make(map[string]*entry, len(s.Tools)), byRaw: make(map[string]*entry, len(s.Tools))}
	for i, raw := range s.Tools {
		e, err := s.Reuse.read(raw)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("tool %d of the pool is left out: %v", i+1, err))
			continue
		}
		name := e.tool.Name
		switch {
		case Denied(name, s.Deny):
		case !strings.HasPrefix(name, Prefix):
			warnings = append(warnings, fmt.Sprintf("%s is left out: its name does not begin with %s", quote(name), Prefix))
		case p.byName[name] != nil:
			warnings = append(warnings, fmt.Sprintf("%s is in the pool more than once: the first one counts", quote(name)))
		default:
			p.byName[name] = e
			p.byRaw[string(e.raw)] = e
		}
	}
	p.arrange()
	return p, warnings
}

// Denied tells whether a pattern hits a name: an equal name, or a beginning if the pattern ends in "*".
func Denied(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, open := strings.CutSuffix(p, "*")
		return p == name || open && strings.HasPrefix(name, prefix)
	})
}

// read reads a tool. One whose bytes the pool knows already is the pool's own.
func (p *Pool) read(raw json.RawMessage) (*entry, error) {
	if p != nil {
		if e := p.byRaw[string(raw)]; e != nil {
			return e, nil
		}
	}
	return readTool(raw)
}

func (p *Pool) arrange() {
	entries := make([]*entry, 0, len(p.byName))
	for _, e := range p.byName {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b *entry) int {
		if c := compare(group(a.tool.Name), group(b.tool.Name)); c != 0 {
			return c
		}
		return compare(a.tool.Name, b.tool.Name)
	})
	for _, e := range entries {
		key := group(e.tool.Name)
		if n := len(p.groups); n == 0 || p.groups[n-1].name != key {
			p.groups = append(p.groups, poolGroup{name: key})
		}
		g := &p.groups[len(p.groups)-1]
		g.entries = append(g.entries, e)
	}
}

// Len counts the tools.
func (p *Pool) Len() int { return len(p.byName) }

// Lookup finds a tool by its flat name.
func (p *Pool) Lookup(name string) (Tool, bool) {
	e, ok := p.byName[name]
	if !ok {
		return Tool{}, false
	}
	return e.tool, true
}

// Names lists the pool in catalog order of groups, then by name.
func (p *Pool) Names() []string {
	names := make([]string, 0, len(p.byName))
	for _, g := range p.groups {
		for _, e := range g.entries {
			names = append(names, e.tool.Name)
		}
	}
	return names
}
