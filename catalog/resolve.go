package catalog

import (
	"net/url"
	"strconv"
	"strings"
)

// follow gives the type of a reference's target, unknown if it leads nowhere, outside or round in a circle.
func (b *builder) follow(ref string, depth int, at *trail) *shape {
	if b.spent > unrolled {
		s := b.unknown()
		s.says.describe(textUnrolled)
		return s
	}
	target := b.resolve(ref)
	if target == nil || at.has(target) {
		return b.unknown()
	}
	return b.build(target, depth, &trail{at: target, up: at})
}

// resolve finds the target of a local reference: a JSON pointer into this schema or an anchor in it.
func (b *builder) resolve(ref string) *node {
	if n, seen := b.refs[ref]; seen {
		return n
	}
	n := locate(b.root, ref)
	if b.refs == nil {
		b.refs = map[string]*node{}
	}
	b.refs[ref] = n
	return n
}

func locate(root *node, ref string) *node {
	escaped, local := strings.CutPrefix(ref, "#")
	fragment, err := url.PathUnescape(escaped)
	switch {
	case !local || err != nil:
		return nil
	case fragment == "":
		return root
	case fragment[0] != '/':
		return anchor(root, fragment)
	}
	at := root
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
		if at = at.get(step); at == nil {
			return nil
		}
	}
	return at
}

func anchor(n *node, name string) *node {
	if a := n.get("$anchor"); a.isString() && a.text == name {
		return n
	}
	if id := n.get("$id"); id.isString() && id.text == "#"+name {
		return n
	}
	for i := range n.members {
		if found := anchor(&n.members[i].val, name); found != nil {
			return found
		}
	}
	return nil
}
