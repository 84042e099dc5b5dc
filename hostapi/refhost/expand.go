package refhost

import (
	"fmt"
	"regexp"
	"strings"
)

var variable = regexp.MustCompile(`\$\{([^}]*)\}`)

// An expander fills in ${VAR}, ${env:VAR} and ${VAR:-default} in the texts of one server. As in a shell, the default
// also stands for an empty variable; without one, a variable that is not set is a fault.
type expander struct {
	lookup func(string) (string, bool)
	server string
	faults []error
}

func (x *expander) fault(format string, args ...any) {
	x.faults = append(x.faults, fmt.Errorf("server %q: "+format, append([]any{x.server}, args...)...))
}

func (x *expander) expand(place, text string) string {
	return variable.ReplaceAllStringFunc(text, func(match string) string {
		name, fallback, hasFallback := strings.Cut(match[2:len(match)-1], ":-")
		name = strings.TrimPrefix(name, "env:")
		value, set := x.lookup(name)
		switch {
		case strings.HasPrefix(name, "input:"):
			x.fault("%s: nobody is asked for %s here; set a variable, and write it as ${TOKEN}", place, match)
		case hasFallback && value == "":
			return fallback
		case !set:
			x.fault("%s: the variable %s is not set; set it, or write ${%s:-default}", place, name, name)
		}
		return value
	})
}

func (x *expander) expandMap(place string, texts map[string]string) map[string]string {
	out := make(map[string]string, len(texts))
	for key, text := range texts {
		out[key] = x.expand(place+"."+key, text)
	}
	return out
}
