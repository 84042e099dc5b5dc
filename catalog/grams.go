package catalog

// Grams tell of a bunch of tools which of them may hold a word: for each pair of adjacent bytes, the tools in whose
// texts it occurs. Few pairs share a place, so that a tool which has all pairs of a word mostly has the word.
type grams [1 << 12]uint64

// add notes the pairs of a text for one tool of the bunch.
func (g *grams) add(tool int, text string) {
	if text == "" {
		return
	}
	bit := uint64(1) << tool
	at := uint(text[0])
	for i := 1; i < len(text); i++ {
		at = gram(at, text[i])
		g[at] |= bit
	}
}

// holding gives the tools that may hold a word, as bits.
func (g *grams) holding(word string) uint64 {
	tools := ^uint64(0)
	at := uint(word[0])
	for i := 1; i < len(word) && tools != 0; i++ {
		at = gram(at, word[i])
		tools &= g[at]
	}
	return tools
}

// gram gives the place of the pair that ends in b, from the place of the pair before it. Small letters have places of
// their own.
func gram(last uint, b byte) uint { return (last<<6 | uint(b&63)) & (1<<12 - 1) }
