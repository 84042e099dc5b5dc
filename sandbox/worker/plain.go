package worker

import (
	"regexp"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

var (
	// typeArguments finds what may be type arguments in an expression, as in f<number>(2), which the engine's parser
	// takes for comparisons. TypeScript takes them so before a bracket, a template, the end of the line or a comment
	// that leads to one of them.
	typeArguments = regexp.MustCompile("<[^=](?s:.*)[^=]>[ \t]*(?:[(`\n]|/[/*]|$)")
	// splitAsync finds a comment behind async. The engine's parser sees no line end in it.
	splitAsync = regexp.MustCompile(`\basync\s*/[/*]`)
	// strictMode finds the directive, for which the engine's parser knows fewer errors.
	strictMode = regexp.MustCompile(`["']use strict["']`)
)

// plain compiles a text that is JavaScript as it stands, so that the stripper, which costs more than all the rest of a
// short script, need not see it. It gives nil for every text that may mean something else in TypeScript, that needs
// anything lowered, that is no ASCII, or that is wrong: then the stripper has the word, and the failure's wording.
func plain(src source, prefix string) *script {
	if !printable(src.body) || strings.Contains(src.body, "<!--") || strings.Contains(src.body, "-->") ||
		typeArguments.MatchString(src.body) || splitAsync.MatchString(src.body) || strictMode.MatchString(src.body) {
		return nil
	}
	loader := func(string) ([]byte, error) { return placeMap(src.body).engine(), nil }
	text := wrapperHead + src.body + wrapperTail + "\n" + sourceMapComment
	program := parse(text, loader)
	if program == nil || len(program.Body) != 1 {
		return nil
	}
	s, fail := assemble(src, program, prefix)
	if fail != nil || s.doubtful {
		return nil
	}
	return s
}

// parse gives nil for what the engine's parser cannot read. On some texts that are wrong it panics.
func parse(text string, loader func(string) ([]byte, error)) (program *ast.Program) {
	defer func() {
		if recover() != nil {
			program = nil
		}
	}()
	program, err := parser.ParseFile(nil, scriptName, text, 0, parser.WithSourceMapLoader(loader))
	if err != nil {
		return nil
	}
	return program
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

// placeMap leads every place of the wrapped text to itself, but a bracket that calls or indexes to the word before it,
// and what is inside a word to its start, as the stripper's maps do: the engine places a call at its bracket, the model
// looks for its name.
func placeMap(body string) sourceMap {
	at := mapping{genCol: len(wrapperHead), col: len(wrapperHead)}
	m := sourceMap{{}} // the wrapper's head
	var last byte      // in this line, before spaces
	from := 0          // where the word that ends with last begins
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case c == '\n':
			at = mapping{genLine: at.genLine + 1, line: at.line + 1}
			last = 0
			continue
		case c == ' ' || c == '\t':
		case isWordByte(c) && i > 0 && isWordByte(body[i-1]):
			last = c
		default:
			if c != '(' && c != '[' || !endsOperand(body[from:i], last) {
				m = append(m, at)
			}
			last, from = c, i
		}
		at.genCol++
		at.col++
	}
	return append(m, mapping{genLine: at.genLine + 1, line: at.line + 1})
}

// beforeOperand are the words behind which a bracket begins an operand.
var beforeOperand = map[string]bool{
	"return": true, "await": true, "typeof": true, "in": true, "of": true, "instanceof": true, "void": true, "delete": true,
	"throw": true, "case": true, "yield": true, "new": true, "else": true, "do": true,
}

// endsOperand says whether a bracket behind text, whose last character but spaces is last, calls or indexes something.
func endsOperand(text string, last byte) bool {
	return last == ')' || last == ']' || isWordByte(last) && !beforeOperand[strings.TrimRight(text, " \t")]
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
