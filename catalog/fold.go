package catalog

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes texts comparable: letter case, compatibility forms and accents go. Marks that are letters of their own
// (kana voicing, Indic vowels) stay.
func fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(s)) {
		if r < 0x300 || r > 0x36F { // combining diacritical marks
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
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
