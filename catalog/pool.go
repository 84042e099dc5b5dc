package catalog

import (
	"bytes"
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
	byHead map[string]*entry // by the first bytes of raw, for the pool that comes after this one

	mu      sync.Mutex
	last    Options      // of text
	text    *Listing     // nil until rendered
	index   *index       // nil until searched
	spelled [][]spelling // nil until asked for names that come near
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
	p := &Pool{byName: make(map[string]*entry, len(s.Tools)), byHead: make(map[string]*entry, len(s.Tools))}
	entries, errs := readTools(s)
	kept := entries[:0]
	for i, e := range entries {
		if errs[i] != nil {
			warnings = append(warnings, fmt.Sprintf("tool %d of the pool is left out: %v", i+1, errs[i]))
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
			e = s.Reuse.same(e)
			p.byName[name] = e
			p.byHead[string(head(e.raw))] = e
			kept = append(kept, e)
		}
	}
	p.arrange(kept, s.Reuse)
	return p, warnings
}

// readTools reads the tools of a snapshot, those that Reuse does not know.
func readTools(s Snapshot) ([]*entry, []error) {
	entries := make([]*entry, len(s.Tools))
	errs := make([]error, len(s.Tools))
	inParallel(len(s.Tools), 32, func() func(int) {
		return func(i int) {
			if entries[i] = s.Reuse.known(s.Tools[i]); entries[i] == nil {
				entries[i], errs[i] = readTool(s.Tools[i])
			}
		}
	})
	return entries, errs
}

// head is the part of a tool's bytes by which it is looked up before they are compared whole.
func head(raw []byte) []byte {
	const enough = 128
	return raw[:min(enough, len(raw))]
}

// known gives the pool's own entry of a tool with these bytes, nil if it is not found by its first bytes.
func (p *Pool) known(raw json.RawMessage) *entry {
	if p == nil {
		return nil
	}
	if e := p.byHead[string(head(raw))]; e != nil && bytes.Equal(e.raw, raw) {
		return e
	}
	return nil
}

// same gives the pool's own entry of a tool with the same bytes, else e.
func (p *Pool) same(e *entry) *entry {
	if p == nil {
		return e
	}
	if mine := p.byName[e.tool.Name]; mine != nil && bytes.Equal(mine.raw, e.raw) {
		return mine
	}
	return e
}

// Denied tells whether a pattern hits a name: an equal name, or a beginning if the pattern ends in "*".
func Denied(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, open := strings.CutSuffix(p, "*")
		return p == name || open && strings.HasPrefix(name, prefix)
	})
}

// byPlace is the catalog's order of groups, then by name.
func byPlace(a, b *entry) int {
	if c := compare(a.group, b.group); c != 0 {
		return c
	}
	return compare(a.tool.Name, b.tool.Name)
}

// arrange sorts the entries into groups. Those that an earlier pool has are in its order already.
func (p *Pool) arrange(entries []*entry, earlier *Pool) {
	var sorted []*entry
	if earlier != nil {
		for e := range earlier.all() {
			if p.byName[e.tool.Name] == e {
				sorted = append(sorted, e)
			}
		}
		entries = slices.DeleteFunc(entries, func(e *entry) bool { return earlier.byName[e.tool.Name] == e })
	}
	slices.SortFunc(entries, byPlace)
	entries = merge(sorted, entries)
	for start := 0; start < len(entries); {
		end := start + 1
		for end < len(entries) && entries[end].group == entries[start].group {
			end++
		}
		p.groups = append(p.groups, poolGroup{entries[start].group, entries[start:end:end]})
		start = end
	}
}

// merge puts two lists together, each in the order of places, into one.
func merge(a, b []*entry) []*entry {
	out := make([]*entry, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if byPlace(a[0], b[0]) < 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
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
	for e := range p.all() {
		names = append(names, e.tool.Name)
	}
	return names
}

// all yields the entries in catalog order of groups, then by name.
func (p *Pool) all() func(yield func(*entry) bool) {
	return func(yield func(*entry) bool) {
		for _, g := range p.groups {
			for _, e := range g.entries {
				if !yield(e) {
					return
				}
			}
		}
	}
}
