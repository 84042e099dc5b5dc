package announce

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/exec-ext/exec-ext/catalog"
)

// Everything in this file is read by the model. The full catalog and the sentence for an empty pool are the catalog
// package's own text, byte for byte.

// textRetired may name neither the tool, which is not declared now, nor any entry.
const textRetired = "The catalog of MCP tools given earlier no longer applies: do not use the entries it lists. " +
	"MCP tools that are available now are declared as tools of their own; call those directly."

const (
	textDiffHead = "The available MCP tools have changed. Compared with the last full catalog above (this replaces any earlier list of changes):"
	textDiffTail = "Servers not named here have as many tools as it says. Entries in that catalog may have changed or gone too: " +
		"before you call a tool, look it up with the search call described there, which always has the current tools and signatures."
)

// textDiff states every difference between the servers of the base and those of now: first, in the order of the
// catalog, the new and the recounted ones, then the gone ones by name.
func textDiff(base map[string]int, now []catalog.ServerCount) string {
	lines := []string{textDiffHead}
	gone := maps.Clone(base)
	for _, s := range now {
		was, known := base[s.Name]
		delete(gone, s.Name)
		switch {
		case !known:
			lines = append(lines, fmt.Sprintf("- %s (%s, new)", catalog.TextGroup(s.Name), plural(s.Total, "tool")))
		case was != s.Total:
			lines = append(lines, fmt.Sprintf("- %s (%s, before: %d)", catalog.TextGroup(s.Name), plural(s.Total, "tool"), was))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		lines = append(lines, fmt.Sprintf("- %s (gone)", catalog.TextGroup(name)))
	}
	return strings.Join(append(lines, textDiffTail), "\n")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// units counts characters as everywhere in the catalog: UTF-16 code units.
func units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
