package refhost

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exec-ext/exec-ext/hostapi"
)

// IdleRule is a rule that decides on no call of the tools there are, and Why, as half a sentence.
type IdleRule struct {
	Rule Rule
	Why  string
}

// IdleRules finds the rules that match no tool of a pool, or name a parameter that none of the tools they match has.
// Tools that declare no parameters, or more than can be told from their names, have every parameter.
func IdleRules(rules []Rule, pool []json.RawMessage) []IdleRule {
	var idle []IdleRule
	tools := parametersOf(pool)
	for _, r := range rules {
		if why := r.idle(tools); why != "" {
			idle = append(idle, IdleRule{r, why})
		}
	}
	return idle
}

// parametersOf gives the names of the parameters by tool; nil for a tool that may take any.
func parametersOf(pool []json.RawMessage) map[string][]string {
	tools := map[string][]string{}
	for _, raw := range pool {
		var t struct {
			Name        string          `json:"name"`
			InputSchema json.RawMessage `json:"inputSchema"`
		}
		if json.Unmarshal(raw, &t) != nil {
			continue
		}
		if _, twice := tools[t.Name]; !twice {
			tools[t.Name] = parameters(t.InputSchema)
		}
	}
	return tools
}

// parameters is nil if the schema leaves open which there are.
func parameters(schema json.RawMessage) []string {
	var members, properties map[string]json.RawMessage
	if json.Unmarshal(schema, &members) != nil || json.Unmarshal(members["properties"], &properties) != nil {
		return nil
	}
	for _, more := range []string{"$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"} {
		if members[more] != nil {
			return nil
		}
	}
	if extra := string(members["additionalProperties"]); extra != "" && extra != "false" {
		return nil
	}
	return slices.Sorted(maps.Keys(properties))
}

// idle says why the rule decides on no call, "" if it may decide on one.
func (r Rule) idle(tools map[string][]string) string {
	if r.text == execName {
		return ""
	}
	var matched, known []string
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		if !r.name.MatchString(name) {
			continue
		}
		if r.key == "" || tools[name] == nil || slices.Contains(tools[name], r.key) {
			return ""
		}
		matched, known = append(matched, name), append(known, tools[name]...)
	}
	switch {
	case len(matched) == 0:
		name, _, _ := strings.Cut(r.text, "(")
		return "no tool that is connected now has such a name" + didYouMean(hostapi.Nearest(name, slices.Sorted(maps.Keys(tools))))
	case len(matched) == 1:
		return fmt.Sprintf("%s has no parameter %q", matched[0], r.key) + didYouMean(hostapi.Nearest(r.key, known))
	}
	return fmt.Sprintf("none of the %d tools that it names has a parameter %q", len(matched), r.key) + didYouMean(hostapi.Nearest(r.key, known))
}

func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", name)
}
