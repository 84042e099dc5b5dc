package serve

import "unicode/utf16"

// units counts UTF-16 code units, the characters of the protocol.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// clip keeps at most limit UTF-16 code units of s and never cuts inside a character.
func clip(s string, limit int) string {
	n := 0
	for i, r := range s {
		if n += utf16.RuneLen(r); n > limit {
			return s[:i]
		}
	}
	return s
}
