package worker

import (
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// A source is the model's text twice: whole, as the model counts lines and columns in it, and as the body that is
// run. In the body a fence or wrapper round the script is blanked with spaces, so that both have the same
// positions.
type source struct {
	lines []string // of the model's text
	body  string
}

var (
	tagOpen    = regexp.MustCompile(`^\s*<(?:antml:)?(?:parameter|param|arg|code|script|exec|invoke|function_calls|tool_call)\b[^>\n]*>`)
	tagClose   = regexp.MustCompile(`</(?:antml:)?(?:parameter|param|arg|code|script|exec|invoke|function_calls|tool_call)\s*>\s*$`)
	fenceOpen  = regexp.MustCompile("^\\s*(?:```+|~~~+)[ \\t]*[\\w.+-]*[ \\t]*(?:\\r?\\n|$)")
	fenceEnd   = regexp.MustCompile("(?:^|\\n)[ \\t]*(?:```+|~~~+)\\s*$")
	fenceBlock = regexp.MustCompile("(?s)(?:^|\\n)[ \\t]*```+[ \\t]*\\w*[ \\t]*\\r?\\n(.*?)\\n[ \\t]*```+[ \\t]*(?:\\r?\\n|$)")
	hashbang   = regexp.MustCompile(`^\s*#![^\n]*`)
)

func newSource(text string) source {
	s := source{lines: strings.Split(text, "\n"), body: text}
	if strings.HasPrefix(s.body, "\ufeff") {
		s.body = blank(s.body, 0, len("\ufeff"))
	}
	for _, open := range []*regexp.Regexp{tagOpen, tagOpen, tagOpen, tagOpen, fenceOpen, hashbang} {
		if at := open.FindStringIndex(s.body); at != nil {
			s.body = blank(s.body, at[0], at[1])
			s.body = blankEnd(s.body, open)
		}
	}
	return s
}

// fenced gives the source with all but its only fenced block blanked: a script with words round it.
func (s source) fenced() (source, bool) {
	blocks := fenceBlock.FindAllStringSubmatchIndex(s.body, -1)
	if len(blocks) != 1 {
		return s, false
	}
	from, to := blocks[0][2], blocks[0][3]
	s.body = blank(blank(s.body, to, len(s.body)), 0, from)
	return s, true
}

// blankEnd blanks what closes the wrapper just opened.
func blankEnd(text string, open *regexp.Regexp) string {
	var closing *regexp.Regexp
	switch open {
	case tagOpen:
		closing = tagClose
	case fenceOpen:
		closing = fenceEnd
	default:
		return text
	}
	if at := closing.FindStringIndex(text); at != nil {
		return blank(text, at[0], at[1])
	}
	return text
}

// blank overwrites text[from:to] with spaces, keeping line ends and the count of UTF-16 code units.
func blank(text string, from, to int) string {
	var b strings.Builder
	b.WriteString(text[:from])
	for _, r := range text[from:to] {
		switch {
		case r == '\n' || r == '\r':
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteString("  ")
		default:
			b.WriteByte(' ')
		}
	}
	b.WriteString(text[to:])
	return b.String()
}

// locate sets line, column and the offending line from a position in the model's text, both from 1.
func (s source) locate(f *wire.FailedHead, line, column int) {
	if line > len(s.lines) { // an unclosed bracket is found in the wrapper's tail
		line, column = len(s.lines), 0
		if n := len(s.lines); n > 1 && strings.TrimSpace(s.lines[n-1]) == "" {
			line--
		}
	}
	if line < 1 {
		return
	}
	f.Line, f.Column = line, max(column, 0)
	f.Frame = clip(strings.TrimRight(s.lines[line-1], "\r"), f.Column)
}

// locateBytes does the same from a place in the wrapped text, a line from 1 and a column from 0 in bytes.
func (s source) locateBytes(f *wire.FailedHead, line, column int) {
	if line == 1 {
		column -= len(wrapperHead)
	}
	if line >= 1 && line <= len(s.lines) {
		text := s.lines[line-1]
		column = utf16Len(text[:min(max(column, 0), len(text))])
	}
	s.locate(f, line, column+1)
}

// frameUnits bounds the line shown with an error.
const frameUnits = 200

// clip keeps the part of a long line that holds the column.
func clip(line string, column int) string {
	units := utf16.Encode([]rune(line))
	if len(units) <= frameUnits {
		return line
	}
	from := min(max(column-frameUnits/2, 0), len(units)-frameUnits)
	to := from + frameUnits
	if utf16.IsSurrogate(rune(units[from])) && units[from] >= 0xdc00 {
		from++
	}
	if to < len(units) && units[to] >= 0xdc00 && units[to] < 0xe000 {
		to--
	}
	return string(utf16.Decode(units[from:to]))
}

// utf16Len counts UTF-16 code units.
func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// cutUnits gives the longest prefix of s with at most n UTF-16 code units, never cutting a character.
func cutUnits(s string, n int) string {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if n -= max(utf16.RuneLen(r), 1); n < 0 {
			return s[:i]
		}
		i += size
	}
	return s
}
