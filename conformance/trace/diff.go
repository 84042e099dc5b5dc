package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// volatileMember says which members differ between two runs of the same session, or between two machines: times, sizes
// of memory, versions, ids of incidents, and what the machine isolates.
func volatileMember(name string) bool {
	switch name {
	case "ms", "wallMs", "activeMs", "queuedMs", "uptimeMs", "timeLeftMs", "peakMemoryBytes", "version", "incident", "isolation", "workers":
		return true
	}
	return false
}

// difference gives the first place where two JSON values differ, "" if there is none. Volatile members do not count.
func difference(want, got json.RawMessage) (string, error) {
	var w, g any
	if err := decode(want, &w); err != nil {
		return "", err
	}
	if err := decode(got, &g); err != nil {
		return "", err
	}
	return differ("$", w, g), nil
}

func decode(raw json.RawMessage, v *any) error {
	if raw == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}

func differ(path string, want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			return differObjects(path, w, g)
		}
	case []any:
		g, ok := got.([]any)
		if !ok {
			break
		}
		for i := range min(len(w), len(g)) {
			if d := differ(fmt.Sprintf("%s[%d]", path, i), w[i], g[i]); d != "" {
				return d
			}
		}
		if len(w) != len(g) {
			return fmt.Sprintf("%s: %d elements recorded, %d now", path, len(w), len(g))
		}
		return ""
	default:
		if want == got {
			return ""
		}
	}
	return fmt.Sprintf("%s: recorded %s, now %s", path, shown(want), shown(got))
}

func differObjects(path string, want, got map[string]any) string {
	names := maps.Clone(want)
	maps.Copy(names, got)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if volatileMember(name) {
			continue
		}
		w, inWant := want[name]
		g, inGot := got[name]
		at := path + "." + name
		switch {
		case !inWant:
			return fmt.Sprintf("%s: not recorded, now %s", at, shown(g))
		case !inGot:
			return fmt.Sprintf("%s: recorded %s, now absent", at, shown(w))
		}
		if d := differ(at, w, g); d != "" {
			return d
		}
	}
	return ""
}

// shown is a value for a person, cut.
func shown(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	const most = 300
	if len(out) > most {
		return fmt.Sprintf("%s... (%d bytes)", bytes.ToValidUTF8(out[:most], nil), len(out))
	}
	return string(out)
}
