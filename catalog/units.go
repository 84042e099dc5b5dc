package catalog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// units counts UTF-16 code units, what JavaScript calls length.
func units(s string) int {
	n := len(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < 0x80:
		case c < 0xC0: // not the first byte of a character
			n--
		case c >= 0xF0: // of a character outside the BMP, a surrogate pair
			n++
		}
	}
	return n
}

// tokens estimates what so many UTF-16 code units cost: a fourth, to the nearest.
func tokens(units int) int { return (units + 2) / 4 }

// cut shortens s to width code units, the three dots at its end included, and never splits a character.
func cut(s string, width int) string {
	const dots = "..."
	if units(s) <= width {
		return s
	}
	room := width - len(dots)
	if room < 0 {
		return dots[:max(width, 0)]
	}
	for i, r := range s {
		w := 1
		if r > 0xFFFF {
			w = 2
		}
		if room -= w; room < 0 {
			return s[:i] + dots
		}
	}
	return s
}

// compare orders by UTF-16 code units, as JavaScript's < does.
func compare(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] {
			continue
		}
		// In UTF-8 order surrogate pairs (first byte F0 and up) come after U+E000 to U+FFFF (EE, EF),
		// in UTF-16 before.
		x, y := a[i], b[i]
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		if x < y {
			return -1
		}
		return 1
	}
	return len(a) - len(b)
}

// quote writes a JavaScript string literal that is JSON too.
func quote(s string) string {
	q, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		q, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, string(utf8.RuneError)))
	}
	if strings.ContainsAny(s, "\u2028\u2029") {
		return strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`).Replace(string(q))
	}
	return string(q)
}

// isIdentifier tells whether s can stand after a dot. A name it refuses stands in brackets, which is never wrong.
func isIdentifier(s string) bool {
	for i, r := range s {
		switch {
		case r == '_' || r == '$' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
		case i > 0 && '0' <= r && r <= '9':
		case r < utf8.RuneSelf || r == utf8.RuneError || r > 0xFFFF: // engines differ on letters outside the BMP
			return false
		case unicode.IsLetter(r) || unicode.Is(unicode.Nl, r):
		case i > 0 && unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc):
		default:
			return false
		}
	}
	return s != ""
}

// access writes how a script reaches a tool.
func access(name string) string {
	if isIdentifier(name) {
		return "tools." + name
	}
	return "tools[" + quote(name) + "]"
}

// oneLine makes s safe inside a line of ours: control characters and line separators are written as escapes.
func oneLine(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }) < 0 {
		return s
	}
	q := quote(s)
	return q[1 : len(q)-1]
}
