package refhost

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Rule names the calls it is about: NAME, or NAME(KEY=VALUE). In both parts * stands for any text. Name is a leaf's
// flat name; VALUE is compared with the argument KEY, a string as it is, anything else as compact JSON. A rule looks
// at text only: path=/srv/* also covers /srv/../etc.
type Rule struct {
	text  string
	name  *regexp.Regexp
	key   string // "" = any arguments
	value *regexp.Regexp
}

// execName is the tool that the model calls: a rule of this name alone is about Exec itself.
const execName = "Exec"

// ParseRule reads a rule; the error shows how one is written. One that can be about no tool at all is an error too: a
// denial with a slip of the pen must not pass for one.
func ParseRule(text string) (Rule, error) {
	name, rest, hasArgument := strings.Cut(strings.TrimSpace(text), "(")
	r := Rule{text: strings.TrimSpace(text), name: pattern(name)}
	if name == "" {
		return Rule{}, fmt.Errorf("rule %q: write NAME or NAME(KEY=VALUE), as mcp__files__* or mcp__files__write(path=/srv/*)", text)
	}
	if !hasArgument {
		return r, r.aboutSomething(name)
	}
	inner, closed := strings.CutSuffix(rest, ")")
	key, value, hasValue := strings.Cut(inner, "=")
	if !closed || !hasValue || key == "" {
		return Rule{}, fmt.Errorf("rule %q: after the name comes (KEY=VALUE), as mcp__files__write(path=/srv/*)", text)
	}
	r.key, r.value = key, pattern(value)
	return r, r.aboutSomething(name)
}

// aboutSomething is an error if there can be no tool of this name.
func (r Rule) aboutSomething(name string) error {
	if r.text == execName || reachesLeaves(name) {
		return nil
	}
	return fmt.Errorf("rule %q: it is about no tool: the name must be %s, or begin as those of all tools do, mcp__server__tool (or *)", r.text, execName)
}

// reachesLeaves tells whether a name with * in it can be the name of a leaf.
func reachesLeaves(name string) bool {
	fixed, _, open := strings.Cut(name, "*")
	return strings.HasPrefix(fixed, leafPrefix) || open && strings.HasPrefix(leafPrefix, fixed)
}

// ParseRules reads several.
func ParseRules(texts []string) ([]Rule, error) {
	var rules []Rule
	for _, text := range texts {
		r, err := ParseRule(text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// String is the rule as it was written.
func (r Rule) String() string { return r.text }

// pattern turns a text with * into an expression for the whole of a string.
func pattern(text string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)\A` + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, `.*`) + `\z`)
}

// matches tells whether the rule is about this call.
func (r Rule) matches(name string, args json.RawMessage) bool {
	if !r.name.MatchString(name) {
		return false
	}
	if r.key == "" {
		return true
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil {
		return false
	}
	raw, ok := members[r.key]
	if !ok {
		return false
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return r.value.MatchString(text)
	}
	compact := jsontext.Value(raw).Clone()
	if compact.Compact() != nil {
		return false
	}
	return r.value.MatchString(string(compact))
}

// wholeTool tells whether the rule takes whole tools away and can be said as a pattern of the protocol: an exact
// name or a prefix that ends in *.
func (r Rule) wholeTool() bool {
	star := strings.IndexByte(r.text, '*')
	return r.key == "" && (star < 0 || star == len(r.text)-1)
}

func firstMatch(rules []Rule, name string, args json.RawMessage) (Rule, bool) {
	for _, r := range rules {
		if r.matches(name, args) {
			return r, true
		}
	}
	return Rule{}, false
}
