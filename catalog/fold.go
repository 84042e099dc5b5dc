package catalog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes texts comparable: letter case, compatibility forms and accents go. Marks that are letters of their own
// (kana voicing, Indic vowels) stay.
func fold(s string) string {
	capital := false
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return foldWide(s)
		}
		capital = capital || 'A' <= s[i] && s[i] <= 'Z'
	}
	if !capital {
		return s
	}
	return strings.ToLower(s)
}

// appendFold writes s folded.
func appendFold[text string | []byte](b []byte, s text) []byte {
	start := len(b)
	b = append(b, s...)
	for i, c := range b[start:] {
		switch {
		case c >= utf8.RuneSelf:
			return append(b[:start], foldWide(string(s))...)
		case 'A' <= c && c <= 'Z':
			b[start+i] = c + 'a' - 'A'
		}
	}
	return b
}

func foldWide(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(s)) {
		if r < 0x300 || r > 0x36F { // combining diacritical marks
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// letters folds a name and leaves its separators out.
func letters(s string) []rune {
	out := make([]rune, 0, len(s))
	for _, r := range fold(s) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = append(out, r)
		}
	}
	return out
}
