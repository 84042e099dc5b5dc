package sandbox

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// A logBook keeps console lines up to a number of UTF-16 code units and counts the rest.
type logBook struct {
	limit int
	text  strings.Builder
	kept  int // units in text
	total int // units received, newlines between lines included
	lines int
}

// add takes one line as the worker sent it. whole is the length of the line if the worker has cut it, else 0.
func (b *logBook) add(line []byte, whole int) {
	units := 0
	if b.lines > 0 {
		b.put("\n", 1)
		units = 1
	}
	b.lines++
	s := toUTF8(line)
	n := utf16Len(s)
	units += max(n, whole)
	b.put(s, n)
	if b.total += units; b.total < 0 { // only a hostile worker can make it overflow
		b.total = 1<<31 - 1
	}
}

// put keeps as much of s as there is room for; n is its length in units.
func (b *logBook) put(s string, n int) {
	if b.kept == b.total && b.kept+n <= b.limit {
		b.text.WriteString(s)
		b.kept += n
		return
	}
	if b.kept < b.total {
		return // something was cut before: a later, shorter line must not close the gap
	}
	for _, r := range s {
		n := utf16.RuneLen(r)
		if b.kept+n > b.limit {
			return
		}
		b.text.WriteRune(r)
		b.kept += n
	}
}

// logs gives what was kept. total is the number of units that the worker says the script produced; 0 = it did
// not come to say it.
func (b *logBook) logs(total int) Logs {
	total = max(total, b.total)
	return Logs{Text: b.text.String(), Chars: total, Truncated: total > b.kept}
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// toUTF8 makes a string of what a worker sent; the replacement character stands for what is no UTF-8.
func toUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// cut keeps at most n bytes of s and never cuts inside a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// wholeLine reads the head of a Log frame.
func wholeLine(f wire.Frame) (int, error) {
	if len(f.Head) == 0 {
		return 0, nil
	}
	var head wire.LogHead
	err := decodeHead(f, &head)
	return head.Chars, err
}
