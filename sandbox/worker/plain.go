package worker

import (
	"regexp"
	"strings"

	"github.com/dop251/goja/parser"
)

// typeArguments finds what may be type arguments in an expression, as in f<number>(2), which the engine's parser
// takes for comparisons. TypeScript takes them so before a bracket, a template or the end of the line.
var typeArguments = regexp.MustCompile("<[^=](?s:.*)[^=]>[ \t]*(?:[(`\n]|$)")

// plain compiles a text that is JavaScript as it stands, so that the stripper, which costs more than all the rest of a
// short script, need not see it. It gives nil for every text that may mean something else in TypeScript, that needs
// anything lowered, that is no ASCII, or that is wrong: then the stripper has the word, and the failure's wording.
func plain(src source, prefix string) *script {
	if !printable(src.body) || strings.Contains(src.body, "<!--") || strings.Contains(src.body, "-->") ||
		typeArguments.MatchString(src.body) {
		return nil
	}
	loader := func(string) ([]byte, error) { return wordMap(src.body).engine(), nil }
	text := wrapperHead + src.body + wrapperTail + "\n" + sourceMapComment
	program, err := parser.ParseFile(nil, scriptName, text, 0, parser.WithSourceMapLoader(loader))
	if err != nil || len(program.Body) != 1 {
		return nil
	}
	s, fail := assemble(src, program, prefix)
	if fail != nil || s.doubtful {
		return nil
	}
	return s
}

// printable says whether the text is ASCII that counts one column a byte and ends its lines with \n.
func printable(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// wordMap leads every place of the wrapped text to the word or the bracket it stands in or behind, as the stripper's
// maps do: the engine places a call at its bracket, the model looks for its name. No place leads to another line.
func wordMap(body string) sourceMap {
	at := mapping{genCol: len(wrapperHead), col: len(wrapperHead)}
	m := sourceMap{{}} // the wrapper's head
	last := byte('\n')
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case c == '\n':
			at = mapping{genLine: at.genLine + 1, line: at.line + 1}
			last = c
			continue
		case last == '\n' && c > ' ', startsOperand(last, c):
			m = append(m, at)
		}
		if c > ' ' || last != '\n' {
			last = c
		}
		at.genCol++
		at.col++
	}
	return append(m, mapping{genLine: at.genLine + 1, line: at.line + 1})
}

// startsOperand says whether c, behind last, begins a word, or a list, object or group that is no call or index.
func startsOperand(last, c byte) bool {
	if c == '(' || c == '[' || c == '{' {
		return !isWordByte(last) && !strings.ContainsRune(")]}\"'`", rune(last))
	}
	return isWordByte(c) && !isWordByte(last)
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
