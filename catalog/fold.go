package catalog

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes texts comparable: letter case, compatibility forms and accents go. Marks that are letters of their own
// (kana voicing, Indic vowels) stay.
func fold(s string) string { return string(appendFold(nil, s)) }

// appendFold writes s folded: ASCII many bytes at a time, and what is between on its own.
func appendFold[text string | []byte](b []byte, s text) []byte {
	const some = 256
	for len(s) > 0 {
		start := len(b)
		b = append(b, s[:min(some, len(s))]...)
		n := lower(b[start:])
		b, s = b[:start+n], s[n:]
		for n = 0; n < len(s) && s[n] >= utf8.RuneSelf; {
			n++
		}
		b = appendWide(b, string(s[:n]))
		s = s[n:]
	}
	return b
}

// lower makes capitals small up to the first byte that is not ASCII, and counts the bytes up to there. It does eight at
// a time: adding carries into the top bit of a byte from A on, and from behind Z on.
func lower(b []byte) (n int) {
	for ; len(b)-n >= 8; n += 8 {
		v := binary.LittleEndian.Uint64(b[n:])
		if v&(0x80*each) != 0 {
			break
		}
		capital := (v + (0x80-'A')*each) &^ (v + (0x80-'Z'-1)*each) & (0x80 * each)
		binary.LittleEndian.PutUint64(b[n:], v|capital>>2)
	}
	for ; n < len(b) && b[n] < utf8.RuneSelf; n++ {
		if 'A' <= b[n] && b[n] <= 'Z' {
			b[n] += 'a' - 'A'
		}
	}
	return n
}

// appendWide writes a text without ASCII folded. It may do so in parts: nothing that stays of what is not plain joins
// with what is, ASCII included.
func appendWide(b []byte, s string) []byte {
	for s != "" {
		n := strings.IndexFunc(s, isPlain)
		if n < 0 {
			n = len(s)
		}
		b = append(b, foldWide(s[:n])...)
		s = s[n:]
		for n = 0; n < len(s); {
			r, size := utf8.DecodeRuneInString(s[n:])
			if !isPlain(r) {
				break
			}
			n += size
		}
		b = append(b, s[:n]...)
		s = s[n:]
	}
	return b
}

// isPlain tells of a character that folding does not change, whatever stands beside it: Chinese ones.
func isPlain(r rune) bool { return 0x4E00 <= r && r <= 0x9FFF }

func foldWide(s string) string {
	if s == "" {
		return ""
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(s)) {
		if r < 0x300 || r > 0x36F { // combining diacritical marks
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// letters folds a name and leaves its separators out.
func letters(s string) []rune { return appendLetters(nil, s) }

// appendLetters writes the letters of a name.
func appendLetters(out []rune, s string) []rune {
	var room [64]byte
	for b := appendFold(room[:0], s); len(b) > 0; {
		r, size := utf8.DecodeRune(b)
		b = b[size:]
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = append(out, r)
		}
	}
	return out
}
