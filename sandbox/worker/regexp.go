package worker

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A regExpError is a SyntaxError for the script.
type regExpError struct{ text string }

func (e regExpError) Error() string { return e.text }

// rewriteRegExp gives pattern and flags in words the engine reads as the standard means the originals: properties
// become ranges, and the v flag's classes become plain ones under the u flag. Whatever cannot be said that way is a
// regExpError.
func rewriteRegExp(pattern, flags string) (string, string, error) {
	p := regExpParser{rest: pattern, sets: strings.Contains(flags, "v"), fold: strings.Contains(flags, "i"), unicode: strings.ContainsAny(flags, "uv")}
	if p.sets {
		if strings.Contains(flags, "u") || strings.Count(flags, "v") > 1 {
			return "", "", regExpError{fmt.Sprintf("Invalid flags supplied to RegExp constructor '%s'", flags)}
		}
		flags = strings.Replace(flags, "v", "u", 1)
	}
	err := p.pattern()
	if name := duplicateName(pattern); err == nil && name != "" {
		err = p.fail("Duplicate capture group name %q", name)
	}
	return p.out.String(), flags, err
}

// A regExpParser copies a pattern, replacing what the engine does not know.
type regExpParser struct {
	rest string
	out  strings.Builder
	sets bool // the v flag
	fold bool // the i flag

	unicode bool // the u or the v flag: \p means a property
}

func (p *regExpParser) fail(format string, args ...any) error {
	return regExpError{"Invalid regular expression: " + fmt.Sprintf(format, args...)}
}

// take removes n bytes from the rest and returns them.
func (p *regExpParser) take(n int) string {
	s := p.rest[:n]
	p.rest = p.rest[n:]
	return s
}

// unit is the length of the next character.
func (p *regExpParser) unit() int {
	_, n := utf8.DecodeRuneInString(p.rest)
	return n
}

func (p *regExpParser) pattern() error {
	for p.rest != "" {
		var err error
		switch {
		case p.unicode && isProperty(p.rest):
			err = p.property("[", "]")
		case p.rest[0] == '\\' && len(p.rest) > 1:
			p.out.WriteString(p.take(1))
			p.out.WriteString(p.take(p.unit()))
		case p.rest[0] == '[' && p.sets:
			err = p.setClass()
		case p.rest[0] == '[':
			err = p.class()
		default:
			p.out.WriteString(p.take(p.unit()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var groupName = regexp.MustCompile(`\(\?<([^>=!][^>]*)>`)

// duplicateName gives the name of two groups, "" if there is none. The standard allows one in different alternatives,
// but the engine would give the wrong group.
func duplicateName(pattern string) string {
	if strings.Count(pattern, "(?<") < 2 {
		return ""
	}
	seen := map[string]bool{}
	for _, m := range groupName.FindAllStringSubmatch(pattern, -1) {
		if seen[m[1]] {
			return m[1]
		}
		seen[m[1]] = true
	}
	return ""
}

func isProperty(s string) bool {
	return len(s) > 1 && s[0] == '\\' && (s[1] == 'p' || s[1] == 'P')
}

// readProperty reads \p{..} or \P{..}.
func (p *regExpParser) readProperty() (runeSet, error) {
	end := strings.IndexByte(p.rest, '}')
	if len(p.rest) < 4 || p.rest[2] != '{' || end < 0 {
		return nil, p.fail("Invalid property name")
	}
	negated := p.rest[1] == 'P'
	name := p.take(end + 1)[3:end]
	s, ok := property(name)
	if !ok {
		return nil, p.fail("the property %q is unknown here", name)
	}
	if negated {
		s = s.complement()
	}
	return s, nil
}

func (p *regExpParser) property(open, closing string) error {
	s, err := p.readProperty()
	p.out.WriteString(open + s.class() + closing)
	return err
}

// class copies a class of the u flag.
func (p *regExpParser) class() error {
	p.out.WriteString(p.take(1))
	for p.rest != "" && p.rest[0] != ']' {
		switch {
		case p.unicode && isProperty(p.rest):
			if err := p.property("", ""); err != nil {
				return err
			}
		case p.rest[0] == '\\' && len(p.rest) > 1:
			p.out.WriteString(p.take(1))
			p.out.WriteString(p.take(p.unit()))
		case p.rest[0] == '[': // the engine would take [:alpha:] for a class of its own
			p.out.WriteString(`\` + p.take(1))
		default:
			p.out.WriteString(p.take(p.unit()))
		}
	}
	return nil
}

// setClass reads a class of the v flag and writes it as a plain one.
func (p *regExpParser) setClass() error {
	s, negated, err := p.readSet()
	if err != nil {
		return err
	}
	head := "["
	if negated {
		head = "[^"
	}
	p.out.WriteString(head + s.class() + "]")
	return nil
}

// readSet reads [...] with nested classes, && and --.
func (p *regExpParser) readSet() (s runeSet, negated bool, err error) {
	p.take(1)
	if strings.HasPrefix(p.rest, "^") {
		p.take(1)
		negated = true
	}
	for first, op := true, ""; ; first = false {
		switch {
		case p.rest == "":
			return nil, false, p.fail("Unterminated character class")
		case p.rest[0] == ']':
			p.take(1)
			return s, negated, nil
		case strings.HasPrefix(p.rest, "&&"), strings.HasPrefix(p.rest, "--"):
			if first || p.fold {
				return nil, false, p.fail("this set operation is not supported here")
			}
			op = p.take(2)
		}
		operand, err := p.operand()
		if err != nil {
			return nil, false, err
		}
		switch op {
		case "&&":
			s = s.and(operand)
		case "--":
			s = s.minus(operand)
		default:
			s = s.add(operand...)
		}
	}
}

// operand reads a nested class, an escape, a character or a range.
func (p *regExpParser) operand() (runeSet, error) {
	switch {
	case p.rest != "" && p.rest[0] == '[':
		s, negated, err := p.readSet()
		if negated {
			s = s.complement()
		}
		return s, err
	case isProperty(p.rest):
		return p.readProperty()
	case strings.HasPrefix(p.rest, `\q`):
		return nil, p.fail(`\q{} is not supported here`)
	case len(p.rest) > 1 && p.rest[0] == '\\':
		if s, ok := classEscapes[p.rest[1]]; ok {
			p.take(2)
			return s(), nil
		}
	}
	if len(p.rest) > 1 && p.rest[0] == p.rest[1] && strings.IndexByte(doubledInSets, p.rest[0]) >= 0 {
		return nil, p.fail("Invalid set operation in character class")
	}
	lo, err := p.character()
	if err != nil {
		return nil, err
	}
	if len(p.rest) > 1 && p.rest[0] == '-' && p.rest[1] != '-' {
		p.take(1)
		hi, err := p.character()
		if err != nil {
			return nil, err
		}
		if hi < lo {
			return nil, p.fail("Range out of order in character class")
		}
		return runeSet{lo, hi}, nil
	}
	return runeSet{lo, lo}, nil
}

// doubledInSets may not stand twice in a row in a class of the v flag.
const doubledInSets = "&!#$%*+,.:;<=>?@^`~"

// reservedInSets may not stand bare in a class of the v flag.
const reservedInSets = "()[]{}/-|"

// character reads one character or its escape in a class of the v flag.
func (p *regExpParser) character() (rune, error) {
	if p.rest == "" {
		return 0, p.fail("Unterminated character class")
	}
	r, n := utf8.DecodeRuneInString(p.take(p.unit()))
	if n == 1 && strings.ContainsRune(reservedInSets, r) {
		return 0, p.fail("Invalid character in character class")
	}
	if r != '\\' {
		return r, nil
	}
	if p.rest == "" {
		return 0, p.fail(`\ at end of pattern`)
	}
	c := p.take(p.unit())
	if i := strings.Index("bfnrtv0", c); i >= 0 {
		return rune("\b\f\n\r\t\v\x00"[i]), nil
	}
	switch c {
	case "x":
		return p.hex(2)
	case "u":
		if !strings.HasPrefix(p.rest, "{") {
			return p.hex(4)
		}
		end := strings.IndexByte(p.rest, '}')
		if end < 0 {
			return 0, p.fail("Invalid Unicode escape")
		}
		p.take(1)
		r, err := p.hex(end - 1)
		p.rest = strings.TrimPrefix(p.rest, "}")
		return r, err
	}
	r, _ = utf8.DecodeRuneInString(c)
	if r < utf8.RuneSelf && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
		return 0, p.fail("Invalid escape")
	}
	return r, nil
}

func (p *regExpParser) hex(digits int) (rune, error) {
	if digits <= 0 || len(p.rest) < digits {
		return 0, p.fail("Invalid escape")
	}
	v, err := strconv.ParseUint(p.take(digits), 16, 32)
	if err != nil || v > maxRune {
		return 0, p.fail("Invalid escape")
	}
	return rune(v), nil
}

// classEscapes are the sets of \d and its like.
var classEscapes = map[byte]func() runeSet{
	'd': digits, 'D': func() runeSet { return digits().complement() },
	'w': words, 'W': func() runeSet { return words().complement() },
	's': spaces, 'S': func() runeSet { return spaces().complement() },
}

func digits() runeSet { return runeSet{'0', '9'} }

func words() runeSet { return runeSet{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'} }

func spaces() runeSet {
	return runeSet{'\t', '\r', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f,
		0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff}
}
