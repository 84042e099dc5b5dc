package catalog

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// An index is the pool as search reads it, by name, a few tools at a time.
type index struct {
	bunches []bunch
	size    int      // tools in all
	bytes   [256]int // how often each occurs in the texts of the first bunch
}

// together is how many tools are in a bunch, one bit each.
const together = 64

// A bunch of tools lies close together in memory, with what tells quickly which of them may hold a word.
type bunch struct {
	grams grams
	tools []folded
	text  string // the folded texts of all
}

// A folded is what search looks at of one tool: where each of its texts begins in the bunch, and the last one ends.
type folded struct {
	of *entry
	at [foldedTexts + 1]uint32
}

// The texts of a tool. Those that most looks go to lie next to each other.
const (
	foldedOwn    = iota // the name within its server
	foldedParts         // the words of it, each between blanks
	foldedBare          // the letters of it
	foldedName          // the flat name
	foldedAbout         // the description
	foldedParams        // names of the input's fields, one a line
	foldedTexts
)

// part gives a text of a tool.
func (b *bunch) part(t *folded, which int) string { return b.text[t.at[which]:t.at[which+1]] }

// indexed gives the pool's index, made once.
func (p *Pool) indexed(o Options) *index {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.index == nil {
		p.index = p.makeIndex(o)
	}
	return p.index
}

func (p *Pool) makeIndex(o Options) *index {
	seats := p.renderAll(o)
	slices.SortFunc(seats, func(a, b seat) int { return compare(a.name, b.name) })
	x := &index{bunches: make([]bunch, (len(seats)+together-1)/together), size: len(seats)}
	inParallel(len(x.bunches), 1, func() func(int) {
		var f folder
		return func(i int) {
			from := i * together
			x.bunches[i].fill(seats[from:min(from+together, len(seats))], &f)
		}
	})
	if len(x.bunches) > 0 {
		for _, c := range []byte(x.bunches[0].text) {
			x.bytes[c]++
		}
	}
	return x
}

// fill puts tools into an empty bunch.
func (b *bunch) fill(seats []seat, f *folder) {
	f.text = f.text[:0]
	b.tools = make([]folded, len(seats))
	for i, s := range seats {
		b.tools[i] = folded{s.entry, f.tool(s)}
	}
	b.text = string(f.text)
	for i, t := range b.tools {
		b.grams.add(i, b.text[t.at[foldedName]:t.at[foldedTexts]]) // the texts before the name are in it
	}
}

// A folder collects the folded texts of tools.
type folder struct{ text, words []byte }

// tool adds the texts of a tool and tells where they are.
func (f *folder) tool(s seat) (at [foldedTexts + 1]uint32) {
	own := lastPart(s.name)
	f.words = appendWords(f.words[:0], own)
	at[foldedOwn] = uint32(len(f.text))
	f.text = appendFold(f.text, own)
	at[foldedParts] = uint32(len(f.text))
	f.text = appendFold(f.text, f.words)
	at[foldedBare] = uint32(len(f.text))
	for _, c := range f.text[at[foldedParts]:at[foldedBare]] {
		if c != ' ' {
			f.text = append(f.text, c)
		}
	}
	for i, text := range [...]string{s.name, s.tool.Description, s.params} {
		at[foldedName+i] = uint32(len(f.text))
		f.text = appendFold(f.text, text)
	}
	at[foldedTexts] = uint32(len(f.text))
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
