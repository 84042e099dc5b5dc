package worker

import (
	"maps"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

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
