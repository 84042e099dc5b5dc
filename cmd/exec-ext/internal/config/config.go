// Package config keeps what a host has set: one raw document under JSON merge patches, and from it the effective
// config with every default filled in and every number within its bounds. It is pure; a [Layers] never changes.
package config

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/exec-ext/exec-ext/hostapi"
)

// Layers is the document a host has built up by initialize.config and config/update. The zero value is a host that
// has set nothing.
type Layers struct {
	document map[string]any // checked; shared between versions, so never written to
}

// New reads initialize.config. An absent config (no bytes, or null) sets nothing. Members that are not known are
// ignored; a known one of the wrong type is an *[Error].
func New(raw json.RawMessage) (Layers, error) {
	value, err := decode("$.config", raw)
	if err != nil || value == nil {
		return Layers{}, err
	}
	return Layers{}.merged("$.config", value)
}

// Patch applies a JSON merge patch (RFC 7396) and gives the new version: objects are merged member by member, null
// takes a member out, anything else takes its place. With an *[Error] it gives the old version.
func (l Layers) Patch(raw json.RawMessage) (Layers, error) {
	value, err := decode("$.patch", raw)
	if err != nil {
		return l, err
	}
	return l.merged("$.patch", value)
}

func (l Layers) merged(root string, patch any) (Layers, error) {
	members, ok := patch.(map[string]any)
	if !ok {
		return l, mismatch(root, "an object", patch)
	}
	document := merge(l.document, members)
	if _, _, err := read(root, document); err != nil {
		return l, err
	}
	return Layers{document}, nil
}

// Effective is the config in force: remote, local and default layers resolved, numbers clamped to their bounds. What
// was clamped is listed in the order of the config.
func (l Layers) Effective() (hostapi.Config, []hostapi.Clamp) {
	effective, clamped, err := read("$.config", l.document)
	if err != nil {
		panic("config: a checked document became unreadable: " + err.Error())
	}
	return effective, clamped
}

// RunLimits are the limits of one run: those in force, with the ones that the run names lowered or raised within the
// bounds. Only what this run's own limits asked for is reported as clamped. No bytes, or null, name nothing.
func (l Layers) RunLimits(raw json.RawMessage) (hostapi.Limits, []hostapi.Clamp, error) {
	effective, _ := l.Effective()
	own, err := decode("$.limits", raw)
	if err != nil || own == nil {
		return effective.Limits, nil, err
	}
	members, ok := own.(map[string]any)
	if !ok {
		return hostapi.Limits{}, nil, mismatch("$.limits", "an object", own)
	}
	document := map[string]any{"limits": merge(nil, members)}
	clamped, err := readNumbers("$", document, &effective)
	if err != nil {
		return hostapi.Limits{}, nil, err
	}
	return effective.Limits, clamped, nil
}

// merge is RFC 7396 for two objects. It writes to neither.
func merge(target, patch map[string]any) map[string]any {
	merged := maps.Clone(target)
	if merged == nil {
		merged = map[string]any{}
	}
	for name, value := range patch {
		switch value := value.(type) {
		case nil:
			delete(merged, name)
		case map[string]any:
			inner, _ := merged[name].(map[string]any)
			merged[name] = merge(inner, value)
		default:
			merged[name] = value
		}
	}
	return merged
}

// Changed lists, sorted, the dotted paths of the members that differ; a list is one member.
func Changed(before, after hostapi.Config) []string {
	old, now := flatten(before), flatten(after)
	changed := []string{}
	for path, value := range now {
		if was, ok := old[path]; !ok || was != value {
			changed = append(changed, path)
		}
	}
	for path := range old {
		if _, ok := now[path]; !ok {
			changed = append(changed, path)
		}
	}
	slices.Sort(changed)
	return changed
}

// flatten gives the JSON text of every leaf by its path.
func flatten(c hostapi.Config) map[string]string {
	text, err := json.Marshal(c)
	if err != nil {
		panic("config: " + err.Error()) // strings, numbers and booleans only
	}
	leaves := map[string]string{}
	var walk func(prefix string, text json.RawMessage)
	walk = func(prefix string, text json.RawMessage) {
		var tree map[string]json.RawMessage
		if json.Unmarshal(text, &tree) != nil || tree == nil {
			leaves[prefix] = string(text)
			return
		}
		for name, inner := range tree {
			walk(join(prefix, name), inner)
		}
	}
	walk("", text)
	return leaves
}
