package worker

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/go-json-experiment/json/jsontext"
)

// quote16 appends a string as JSON, half a surrogate pair as an escape.
func quote16(out []byte, s goja.String) []byte {
	out = append(out, '"')
	var run []byte
	flush := func() {
		quoted := quote(nil, string(run))
		out = append(out, quoted[1:len(quoted)-1]...)
		run = run[:0]
	}
	for i := 0; i < s.Length(); i++ {
		u := rune(s.CharAt(i))
		if utf16.IsSurrogate(u) {
			if i+1 < s.Length() {
				if r := utf16.DecodeRune(u, rune(s.CharAt(i+1))); r != utf8.RuneError {
					run = utf8.AppendRune(run, r)
					i++
					continue
				}
			}
			flush()
			const hex = "0123456789abcdef"
			out = append(out, '\\', 'u', hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15])
			continue
		}
		run = utf8.AppendRune(run, u)
	}
	flush()
	return append(out, '"')
}

// quote appends a JSON string.
func quote(out []byte, s string) []byte {
	quoted, err := jsontext.AppendQuote(out, s)
	if err != nil { // never: the engine's strings are valid Unicode once exported
		return append(out, `""`...)
	}
	return quoted
}

// unquote16 reads a valid JSON string token as UTF-16.
func unquote16(s string) []uint16 {
	var out []uint16
	for s = strings.Trim(s, `"`); s != ""; {
		if s[0] != '\\' {
			r, size := utf8.DecodeRuneInString(s)
			out, s = utf16.AppendRune(out, r), s[size:]
			continue
		}
		switch c := s[1]; c {
		case 'u':
			n, _ := strconv.ParseUint(s[2:6], 16, 16)
			out, s = append(out, uint16(n)), s[6:]
		default:
			if i := strings.IndexByte("bfnrt", c); i >= 0 {
				c = "\b\f\n\r\t"[i]
			}
			out, s = append(out, uint16(c)), s[2:]
		}
	}
	return out
}
