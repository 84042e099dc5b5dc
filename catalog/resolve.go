package catalog

import (
	"net/url"
	"strconv"
	"strings"
)

// follow gives the type of a reference's target, unknown if it leads nowhere, outside or round in a circle.
func (b *builder) follow(ref string, depth int, place int) *shape {
	if b.spent > unrolled {
		s := b.unknown()
		s.says.describe(textUnrolled)
		return s
	}
	if b.open == nil {
		b.open = map[visit]bool{{0, b.root}: true}
	}
	target := visit{place, b.resolve(ref)}
	if target.of == nil || b.open[target] {
		return b.unknown()
	}
	b.open[target] = true
	defer delete(b.open, target)
	return b.build(target.of, depth, place)
}

// resolve finds the target of a local reference: a JSON pointer into this schema or an anchor in it.
func (b *builder) resolve(ref string) *node {
	if n, seen := b.refs[ref]; seen {
		return n
	}
	n := b.locate(ref)
	if b.refs == nil {
		b.refs = map[string]*node{}
	}
	b.refs[ref] = n
	return n
}

func (b *builder) locate(ref string) *node {
	escaped, local := strings.CutPrefix(ref, "#")
	fragment, err := url.PathUnescape(escaped)
	switch {
	case !local || err != nil:
		return nil
	case fragment == "":
		return b.root
	case fragment[0] != '/':
		return b.anchor(fragment)
	}
	at := b.root
	for step := range strings.SplitSeq(fragment[1:], "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		if at.isArray() {
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at.members) {
				return nil
			}
			at = &at.members[i].val
			continue
		}
		if at = b.member(at, step); at == nil {
			return nil
		}
	}
	return at
}

// member gives a member of an object. Those of a wide one are looked up, so that many references into it stay cheap.
func (b *builder) member(n *node, key string) *node {
	const wide = 64
	if !n.isObject() || len(n.members) < wide {
		return n.get(key)
	}
	all, known := b.wide[n]
	if !known {
		all = make(map[string]*node, len(n.members))
		for i := range n.members {
			all[n.members[i].key] = &n.members[i].val
		}
		if b.wide == nil {
			b.wide = map[*node]map[string]*node{}
		}
		b.wide[n] = all
	}
	return all[key]
}

// anchor gives the schema that names itself, the first one of that name.
func (b *builder) anchor(name string) *node {
	if b.anchors == nil {
		b.anchors = map[string]*node{}
		b.collect(b.root)
	}
	return b.anchors[name]
}

func (b *builder) collect(n *node) {
	name := ""
	if a := n.get("$anchor"); a.isString() {
		name = a.text
	} else if id := n.get("$id"); id.isString() {
		name, _ = strings.CutPrefix(id.text, "#")
	}
	if name != "" && b.anchors[name] == nil {
		b.anchors[name] = n
	}
	for i := range n.members {
		b.collect(&n.members[i].val)
	}
}
