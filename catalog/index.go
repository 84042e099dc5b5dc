package catalog

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// An index is the pool as search reads it, by name, a few tools at a time.
type index struct {
	depth   int // of the signatures
	bunches []bunch
	hits    []Hit    // each tool as it is given
	bytes   [256]int // how often each occurs in the texts of the first bunch
}

// together is how many tools are in a bunch, one bit each.
const together = 64

// A bunch of tools lies close together in memory, with what tells quickly which of them may hold a word.
type bunch struct {
	grams *grams
	tools []folded
	text  []byte // the folded texts of all
}

// A folded is what search looks at of one tool: where in the bunch its texts begin. They lie in the order in which a
// word is best found, so that the first place of a word is its best one. A line end follows each: no word has one.
type folded struct {
	of     *entry
	parts  uint32 // the words of the name within its server, each between blanks
	name   uint32 // the flat name, right after the parts
	own    uint32 // the name within its server, the end of the flat name
	about  uint32 // the description
	params uint32 // names of the input's fields, one a line
	end    uint32
}

// indexed gives the pool's index, made once for a depth.
func (p *Pool) indexed(o Options) *index {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.index == nil || p.index.depth != o.Depth {
		p.index = p.makeIndex(o)
	}
	return p.index
}

func (p *Pool) makeIndex(o Options) *index {
	seats := p.renderAll(o)
	slices.SortFunc(seats, func(a, b seat) int { return compare(a.name, b.name) })
	x := &index{
		depth:   o.Depth,
		bunches: make([]bunch, (len(seats)+together-1)/together),
		hits:    make([]Hit, len(seats)),
	}
	inParallel(len(x.bunches), 1, func() func(int) {
		var f folder
		return func(i int) {
			from, to := i*together, min((i+1)*together, len(seats))
			x.bunches[i].fill(seats[from:to], x.hits[from:to], &f)
		}
	})
	if len(x.bunches) > 0 {
		for _, c := range x.bunches[0].text {
			x.bytes[c]++
		}
	}
	return x
}

// fill puts tools into an empty bunch.
func (b *bunch) fill(seats []seat, hits []Hit, f *folder) {
	for i, s := range seats {
		hits[i] = hit(s.entry, s.rendering)
	}
	for i, s := range seats {
		f.fetch(hits[i].Name)
		f.fetch(hits[i].Description)
		f.fetch(s.params)
	}
	b.grams = new(grams)
	f.text = f.text[:0]
	b.tools = make([]folded, len(seats))
	for i, s := range seats {
		b.tools[i] = f.tool(s)
	}
	f.text = append(f.text, make([]byte, textRoom)...)
	for i, t := range b.tools {
		b.grams.add(i, f.text, int(t.name), int(t.end)) // the parts are in it
	}
	b.text = bytes.Clone(f.text)
}

// textRoom is how much must follow a text, for texts are read eight bytes at a time.
const textRoom = 8

// A folder collects the folded texts of tools.
type folder struct {
	text, words []byte
	fetched     byte
}

// fetch looks at a text here and there. The texts are all over the memory: looking at many of them at first, and at
// nothing else, lets the processor fetch several at the same time.
func (f *folder) fetch(text string) {
	const line = 64 // bytes that come into its cache together
	for at := 0; at < len(text); at += line {
		f.fetched ^= text[at]
	}
}

// tool adds the texts of a tool and tells where they are.
func (f *folder) tool(s seat) folded {
	own := lastPart(s.name)
	f.words = appendWords(f.words[:0], own)
	return folded{
		of:     s.entry,
		parts:  add(f, f.words),
		name:   add(f, s.name[:len(s.name)-len(own)]),
		own:    add(f, own, '\n'),
		about:  add(f, s.tool.Description, '\n'),
		params: add(f, s.params, '\n'),
		end:    uint32(len(f.text)),
	}
}

// add folds a text, adds it and what follows it, and tells where it begins.
func add[text string | []byte](f *folder, s text, then ...byte) (at uint32) {
	at = uint32(len(f.text))
	f.text = append(appendFold(f.text, s), then...)
	return at
}

// nameWords folds a name and puts blanks around its words, which separators or a change to capitals set apart.
func nameWords(name string) string { return fold(string(appendWords(nil, name))) }

// appendWords writes a name's words, each between blanks, as they are.
func appendWords(b []byte, name string) []byte {
	b = append(b, ' ')
	small := false // the last character was a small letter or a digit
	for _, r := range name {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9': // as most are
			small = true
			b = append(b, byte(r))
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			small = false
			if b[len(b)-1] != ' ' {
				b = append(b, ' ')
			}
			continue
		case small && unicode.IsUpper(r):
			b = append(b, ' ')
		}
		small = !unicode.IsUpper(r)
		b = utf8.AppendRune(b, r)
	}
	if b[len(b)-1] != ' ' {
		b = append(b, ' ')
	}
	return b
}
