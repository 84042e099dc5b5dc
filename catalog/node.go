package catalog

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A node is one JSON value with its member order and number spelling kept. Strings are decoded.
type node struct {
	kind    jsontext.Kind // n t f " 0 { [
	text    string        // a string decoded, a number as spelled
	members []member      // of an object in source order, or of an array with empty keys
}

type member struct {
	key string
	val node
}

// parse reads one JSON value. Of equal member names the last value counts, at the first one's place, as in
// JSON.parse.
func parse(src []byte) (*node, error) {
	var r nodeReader
	return r.parse(src)
}

// A nodeReader reads JSON values one after the other. What it gave is gone with the next.
type nodeReader struct {
	src   string
	dec   *jsontext.Decoder
	open  []member // of the containers being read
	slab  []member // where the members of finished containers lie
	taken int
}

func (r *nodeReader) parse(src []byte) (*node, error) {
	lenient := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	r.src, r.open, r.taken = string(src), r.open[:0], 0
	if r.dec == nil {
		r.dec = jsontext.NewDecoder(bytes.NewBuffer(src), lenient...)
	} else {
		r.dec.Reset(bytes.NewBuffer(src), lenient...)
	}
	n, err := r.read()
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &n, nil
}

func (r *nodeReader) read() (n node, err error) {
	n.kind = r.dec.PeekKind()
	if n.kind != '{' && n.kind != '[' {
		return r.scalar()
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return n, err
	}
	start := len(r.open)
	for k := r.dec.PeekKind(); k != '}' && k != ']'; k = r.dec.PeekKind() {
		var m member
		if n.kind == '{' {
			key, err := r.scalar()
			if err != nil {
				return n, err
			}
			m.key = key.text
		}
		if m.val, err = r.read(); err != nil {
			return n, err
		}
		r.open = append(r.open, m)
	}
	n.members = r.keep(r.open[start:])
	r.open = r.open[:start]
	if n.kind == '{' {
		n.members = lastWins(n.members)
	}
	_, err = r.dec.ReadToken()
	return n, err
}

// keep copies the members of a finished container to where they stay.
func (r *nodeReader) keep(ms []member) []member {
	const slab = 32
	if r.taken+len(ms) > len(r.slab) {
		r.slab, r.taken = make([]member, max(slab, 2*len(r.slab), len(ms))), 0
	}
	out := r.slab[r.taken : r.taken+len(ms) : r.taken+len(ms)]
	copy(out, ms)
	r.taken += len(ms)
	return out
}

func (r *nodeReader) scalar() (n node, err error) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return n, err
	}
	n.kind = raw.Kind()
	end := int(r.dec.InputOffset())
	switch n.kind {
	case '0':
		n.text = r.src[end-len(raw) : end]
	case '"':
		if bytes.IndexByte(raw, '\\') < 0 {
			n.text = r.src[end-len(raw)+1 : end-1]
			break
		}
		text, err := jsontext.AppendUnquote(nil, raw)
		if err != nil && text == nil {
			return n, err
		}
		n.text = string(text)
	}
	return n, nil
}

// lastWins drops repeated names. The scan is quadratic up to few members only.
func lastWins(ms []member) []member {
	const few = 16
	if len(ms) > few {
		return lastWinsMany(ms)
	}
	for i := 1; i < len(ms); i++ {
		for j := range i {
			if ms[i].key == ms[j].key {
				return lastWinsMany(ms)
			}
		}
	}
	return ms
}

func lastWinsMany(ms []member) []member {
	at := make(map[string]int, len(ms))
	out := ms[:0]
	for _, m := range ms {
		if i, seen := at[m.key]; seen {
			out[i].val = m.val
			continue
		}
		at[m.key] = len(out)
		out = append(out, m)
	}
	return out
}

func (n *node) isObject() bool { return n != nil && n.kind == '{' }
func (n *node) isArray() bool  { return n != nil && n.kind == '[' }
func (n *node) isString() bool { return n != nil && n.kind == '"' }

// get gives a member of an object, nil if there is none.
func (n *node) get(key string) *node {
	if !n.isObject() {
		return nil
	}
	for i := range n.members {
		if n.members[i].key == key {
			return &n.members[i].val
		}
	}
	return nil
}

// list gives the items of an array, none of anything else.
func (n *node) list() []member {
	if !n.isArray() {
		return nil
	}
	return n.members
}

// fields gives the members of an object, none of anything else.
func (n *node) fields() []member {
	if !n.isObject() {
		return nil
	}
	return n.members
}

// json writes the value as compact JSON with its own order and spelling.
func (n *node) json() string {
	switch n.kind {
	case '0':
		return n.text
	case '"':
		return quote(n.text)
	}
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	switch n.kind {
	case '{', '[':
		b.WriteByte(byte(n.kind))
		for i := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			if n.kind == '{' {
				b.WriteString(quote(n.members[i].key))
				b.WriteByte(':')
			}
			n.members[i].val.write(b)
		}
		b.WriteByte(byte(n.kind) + 2) // } and ] stand two places after { and [
	case '"':
		b.WriteString(quote(n.text))
	case '0':
		b.WriteString(n.text)
	case 't':
		b.WriteString("true")
	case 'f':
		b.WriteString("false")
	default:
		b.WriteString("null")
	}
}
