package refhost

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exec-ext/exec-ext/hostapi"
)

// A member is one that a server's entry may have.
type member struct {
	name   string
	shape  string // of its value, in words; "" for a member that is not used
	advice string // for one that is not used: what to do instead, if anything
}

const (
	shapeText  = "a string"
	shapeTexts = "a list of strings"
	shapeMap   = "an object whose values are strings"
	shapeBool  = "true or false"

	adviceAllow = "use --allow"
	adviceDeny  = "use --deny"
	adviceToken = `put a token into "headers"`
)

// members are those of the configuration files of many programs: the ones that are used here, and the ones that are
// known and not used.
func members() []member {
	return []member{
		{"type", shapeText, ""}, {"transport", shapeText, ""}, {"command", shapeText, ""}, {"args", shapeTexts, ""},
		{"env", shapeMap, ""}, {"cwd", shapeText, ""}, {"url", shapeText, ""}, {"serverUrl", shapeText, ""},
		{"httpUrl", shapeText, ""}, {"headers", shapeMap, ""}, {"disabled", shapeBool, ""}, {"enabled", shapeBool, ""},

		{"autoApprove", "", adviceAllow}, {"alwaysAllow", "", adviceAllow}, {"trust", "", adviceAllow},
		{"disabledTools", "", adviceDeny}, {"excludeTools", "", adviceDeny}, {"enabledTools", "", adviceDeny},
		{"includeTools", "", adviceDeny}, {"tools", "", adviceDeny},
		{"timeout", "", "use --connect-timeout and --call-timeout"}, {"envFile", "", `put the variables into "env"`},
		{"auth", "", adviceToken}, {"oauth", "", adviceToken},
		{"name", "", ""}, {"title", "", ""}, {"description", "", ""}, {"icon", "", ""}, {"version", "", ""},
		{"gallery", "", ""}, {"dev", "", ""}, {"sandbox", "", ""}, {"sandboxEnabled", "", ""}, {"note", "", ""},
	}
}

// topMembers are those beside the servers.
func topMembers() []member {
	return []member{
		{"mcpServers", "an object with a server for each name", ""}, {"servers", "an object with a server for each name", ""},
		{"$schema", "a string", ""},
		{"inputs", "", "write variables of the environment, as ${TOKEN}, in the place of ${input:…}"},
	}
}

// shapes gives the shape of a value by the name of its member.
func shapes(known []member) map[string]string {
	all := map[string]string{}
	for _, m := range known {
		all[m.name] = m.shape
	}
	return all
}

// namesShown is how many members without meaning here one note lists.
const namesShown = 8

// notes says which members are without effect: one sentence for each that is not known, and one for those of other
// programs. Letter case does not matter, as when they are read. strange says that any number of members of other
// programs may stand there, so that only a likely slip has a sentence of its own.
func notes(found map[string]json.RawMessage, known []member, strange bool) []string {
	var names, unused, all []string
	for _, m := range known {
		names = append(names, m.name)
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		i := slices.IndexFunc(known, func(m member) bool { return strings.EqualFold(m.name, name) })
		nearest := hostapi.Nearest(name, names)
		switch {
		case i < 0 && nearest != "":
			all = append(all, fmt.Sprintf("the member %q is not known and has no effect; did you mean %q?", name, nearest))
		case i < 0 && !strange:
			all = append(all, fmt.Sprintf("the member %q is not known and has no effect", name))
		case i < 0:
			unused = append(unused, fmt.Sprintf("%q", name))
		case known[i].shape == "" && !saysNothing(found[name]):
			unused = append(unused, known[i].unusedText())
		}
	}
	if rest := len(unused) - namesShown; rest > 0 {
		unused = append(unused[:namesShown], fmt.Sprintf("and %d more", rest))
	}
	if len(unused) > 0 {
		all = append(all, "not used here: "+strings.Join(unused, ", "))
	}
	return all
}

func (m member) unusedText() string {
	if m.advice == "" {
		return fmt.Sprintf("%q", m.name)
	}
	return fmt.Sprintf("%q (%s)", m.name, m.advice)
}

// saysNothing tells whether a value is the one that a member has without being there.
func saysNothing(value json.RawMessage) bool {
	return slices.Contains([]string{"null", "false", `""`, "[]", "{}"}, string(value))
}
