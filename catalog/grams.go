package catalog

import "encoding/binary"

// Grams tell of a bunch of tools which of them may hold a word: for each two adjacent bytes and the kind of the third
// one, the tools in whose texts they occur. Few pairs share a place, so that a tool which has all those of a word mostly
// has the word.
type grams [1 << 12]uint64

const gramStep = 6 // grams in eight bytes

// places gives the places of the grams that begin with each of the first six of eight bytes, each eight bits further
// up. A place has five bits of each byte of the pair, in which small letters are all apart, and two of the third byte,
// which mix vowels and consonants.
func places(eight uint64) uint64 {
	low := eight & (0x1F * each)
	return low ^ low>>3 ^ eight&(0x06*each)>>7
}

// add notes a part of a text for one tool of the bunch. Behind the part there must be room, of which it may note some.
func (g *grams) add(tool int, text []byte, from, to int) {
	const size = uint64(len(g))
	bit := uint64(1) << tool
	for ; from < to; from += gramStep {
		at := places(binary.LittleEndian.Uint64(text[from:]))
		g[at%size] |= bit
		g[at>>8%size] |= bit
		g[at>>16%size] |= bit
		g[at>>24%size] |= bit
		g[at>>32%size] |= bit
		g[at>>40%size] |= bit
	}
}

// holding gives the tools that may hold a word, as bits. Of a single byte it knows nothing.
func (g *grams) holding(word string) uint64 {
	tools := ^uint64(0)
	if len(word) < 2 {
		return tools
	}
	pair := uint64(word[0]) | uint64(word[1])<<8
	for i := 2; i < len(word); i++ {
		tools &= g.at(pair | uint64(word[i])<<16)
		pair = pair>>8 | uint64(word[i])<<8
	}
	var any uint64
	for kind := range uint64(4) {
		any |= g.at(pair | kind<<17)
	}
	return tools & any
}

func (g *grams) at(gram uint64) uint64 { return g[places(gram)%uint64(len(g))] }
