package catalog

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Nearest lists at most n names of the pool that a mistyped name may have meant, best first: those it differs from in
// a third of its letters at most.
func (p *Pool) Nearest(name string, n int) []string {
	want := letters(name)
	bunches := p.spellings()
	found := make([][]near, len(bunches))
	inParallel(len(bunches), 4, func() func(int) {
		s := newSeeker(want, n)
		return func(i int) {
			for j := range bunches[i] {
				found[i] = s.try(found[i], &bunches[i][j])
			}
		}
	})
	all := slices.Concat(found...)
	slices.SortFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), compare(a.name, b.name))
	})
	var names []string
	for _, a := range all[:min(n, len(all))] {
		names = append(names, a.name)
	}
	return names
}

// A near is a name that may have been meant.
type near struct {
	name     string
	distance int
}

// A seeker goes from name to name, and after the first near ones no further than they are.
type seeker struct {
	want   spelled
	n      int   // how many names are listed
	limit  int   // of the distance
	nearer []int // how many names are found at each distance
	row    []int
	places [utf8.RuneSelf]uint64 // where in want a letter is, as bits
	others map[rune]uint64       // the same of those that are not ASCII
}

func newSeeker(want []rune, n int) *seeker {
	limit := max(len(want), 3) / 3
	s := &seeker{want: newSpelled(want), n: n, limit: limit, nearer: make([]int, limit+1), row: make([]int, len(want)+limit+1)}
	s.others = map[rune]uint64{}
	for i, r := range want {
		if r < utf8.RuneSelf {
			s.places[r] |= 1 << i
		} else {
			s.others[r] |= 1 << i
		}
	}
	return s
}

// try adds a name if it is near enough to be listed.
func (s *seeker) try(found []near, name *spelling) []near {
	d := min(s.distance(&name.full), s.distance(&name.own))
	if d > s.limit {
		return found
	}
	s.nearer[d]++
	for s.limit > 0 && sum(s.nearer[:s.limit]) >= s.n {
		s.limit-- // further ones would not be listed
	}
	return append(found, near{name.name, d})
}

// distance counts the edits to a name, past the limit maybe not all.
func (s *seeker) distance(to *spelled) int {
	size := len(s.want.letters)
	far := size - len(to.letters)
	if max(far, -far, s.want.apart(to)) > s.limit {
		return s.limit + 1
	}
	if size == 0 || size > 64 {
		return distance(s.want.letters, to.letters, s.limit, s.row)
	}
	return s.byBits(to.letters)
}

// byBits counts the edits to at most 64 wanted letters, a column of the table that distance fills in one step: in more
// and less are the places where the number grows or falls by one from the one above (Myers' algorithm).
func (s *seeker) byBits(to []rune) int {
	count := len(s.want.letters)
	last := count - 1
	more, less := ^uint64(0), uint64(0)
	for i, r := range to {
		var same uint64
		if r < utf8.RuneSelf {
			same = s.places[r]
		} else {
			same = s.others[r]
		}
		down := same | less
		across := ((same & more) + more) ^ more | same
		right, left := less|^(across|more), more&across
		count += int(right>>last&1) - int(left>>last&1)
		if count-(len(to)-i-1) > s.limit {
			return s.limit + 1 // what is left can't make up for it
		}
		right, left = right<<1|1, left<<1
		more, less = left|^(down|right), right&down
	}
	return count
}

func sum(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// A spelling holds the letters of a name and of its part within the server.
type spelling struct {
	name      string
	full, own spelled
}

// A spelled is a row of letters and which there are: a bit for the first one of a kind, and one for more of it.
type spelled struct {
	letters []rune
	kinds   uint64
}

func newSpelled(letters []rune) spelled {
	s := spelled{letters: letters}
	for _, r := range letters {
		kind := uint(r) % 32 * 2
		s.kinds |= 1 << (kind + uint(s.kinds>>kind&1))
	}
	return s
}

// apart gives a number of edits that two rows of letters differ in at least: one edit takes away no more than one
// letter that the other row lacks.
func (s *spelled) apart(t *spelled) int {
	return max(bits.OnesCount64(s.kinds&^t.kinds), bits.OnesCount64(t.kinds&^s.kinds))
}

// spellings gives those of the pool, some together, made once.
func (p *Pool) spellings() [][]spelling {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spelled != nil {
		return p.spelled
	}
	const together = 256
	entries := slices.AppendSeq(make([]*entry, 0, p.Len()), p.all())
	chunks := slices.Collect(slices.Chunk(entries, together))
	p.spelled = make([][]spelling, len(chunks))
	inParallel(len(chunks), 4, func() func(int) {
		return func(i int) { p.spelled[i] = spell(chunks[i]) }
	})
	return p.spelled
}

// spell gives the spellings of some tools, their letters together.
func spell(entries []*entry) []spelling {
	out := make([]spelling, len(entries))
	size := 0
	for _, e := range entries {
		size += len(e.tool.Name)
	}
	all := make([]rune, 0, size)
	for i, e := range entries {
		own := lastPart(e.tool.Name)
		start := len(all)
		all = appendLetters(all, strings.TrimSuffix(e.tool.Name, own))
		from := len(all)
		all = appendLetters(all, own)
		out[i] = spelling{e.tool.Name, newSpelled(all[start:]), newSpelled(all[from:])}
	}
	return out
}

// lastPart is the tool's own name within its server.
func lastPart(name string) string {
	_, rest, _ := strings.Cut(name, "__")
	_, rest, _ = strings.Cut(rest, "__")
	return rest
}

// distance counts the edits between two names. Past the limit it stops counting. It works in row, which has room for
// a and limit more.
func distance(a, b []rune, limit int, row []int) int {
	if d := len(a) - len(b); max(d, -d) > limit {
		return limit + 1
	}
	row = row[:len(b)+1]
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		least := row[0]
		for j, y := range b {
			next := min(row[j], row[j+1]) + 1
			if x == y {
				next = min(next, diagonal)
			} else {
				next = min(next, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], next
			least = min(least, next)
		}
		if least > limit {
			return least
		}
	}
	return row[len(b)]
}
