package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exec-ext/exec-ext/hostapi"
)

// Unknown gives a sentence for each member of a config, or of a patch of one, that no config has: it is ignored. What is
// no object has no members.
func Unknown(raw json.RawMessage) []string {
	value, err := decode("$", raw)
	document, ok := value.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	return unknown("", document, knownPaths())
}

// knownPaths are the dotted paths of all members, inner objects included.
func knownPaths() []string {
	on := true
	full := Defaults()
	full.EnableExec = hostapi.EnableExec{Local: &on, Remote: &on}
	paths := map[string]bool{"all": true} // of the profile "all"
	for leaf := range flatten(full) {
		for end := range leaf {
			if leaf[end] == '.' {
				paths[leaf[:end]] = true
			}
		}
		paths[leaf] = true
	}
	return slices.Sorted(maps.Keys(paths))
}

func unknown(prefix string, members map[string]any, known []string) (told []string) {
	var beside []string // what may stand here
	for _, k := range known {
		if rest, ok := strings.CutPrefix(k, join(prefix, "")); ok && !strings.Contains(rest, ".") {
			beside = append(beside, k)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		path := join(prefix, name)
		if !slices.Contains(known, path) {
			told = append(told, unknownText(path, hostapi.Nearest(path, beside)))
			continue
		}
		inner, ok := members[name].(map[string]any)
		if ok && slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, path+".") }) {
			told = append(told, unknown(path, inner, known)...)
		}
	}
	return told
}

func unknownText(path, nearest string) string {
	text := fmt.Sprintf("the member %q is not known and has no effect", path)
	if nearest != "" {
		text += fmt.Sprintf("; did you mean %q?", nearest)
	}
	return text
}
