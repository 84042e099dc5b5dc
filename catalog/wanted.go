package catalog

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// A wanted is one word of a request, and the two bytes of it that are rarest together.
type wanted struct {
	word  string
	apart []byte // between blanks
	rare  int    // where the two are
	bytes [2]uint64
}

// each has a byte eight times when multiplied by it.
const each = 0x0101010101010101

// wanted prepares words for being looked for.
func (x *index) wanted(words []string) []wanted {
	out := make([]wanted, len(words))
	for i, word := range words {
		w := wanted{word: word, apart: []byte(" " + word + " ")}
		least := math.MaxInt
		for at := range len(word) - 1 {
			if n := x.bytes[word[at]] * x.bytes[word[at+1]]; n < least {
				least, w.rare = n, at
				w.bytes = [2]uint64{each * uint64(word[at]), each * uint64(word[at+1])}
			}
		}
		out[i] = w
	}
	return out
}

// in gives the first place of the word in a part of a text, or the end of the part. It looks at eight places at once:
// where both rare bytes are, near has a zero, and seen a top bit. There may be further ones above it. Behind the part
// there must be room.
func (w *wanted) in(text []byte, from, to uint32) uint32 {
	if len(w.word) == 1 {
		if i := bytes.IndexByte(text[from:to], w.word[0]); i >= 0 {
			return from + uint32(i)
		}
		return to
	}
	size := len(w.word)
	if size > int(to-from) {
		return to
	}
	part := text[from : to+textRoom]
	for rest := part[w.rare:]; len(rest) > 8; rest = rest[8:] {
		near := binary.LittleEndian.Uint64(rest) ^ w.bytes[0] | binary.LittleEndian.Uint64(rest[1:]) ^ w.bytes[1]
		for seen := (near - each) &^ near & (0x80 * each); seen != 0; seen &= seen - 1 {
			start := len(part) - len(rest) + bits.TrailingZeros64(seen)/8 - w.rare
			if start+size <= len(part)-textRoom && string(part[start:start+size]) == w.word {
				return from + uint32(start)
			}
		}
	}
	return to
}
