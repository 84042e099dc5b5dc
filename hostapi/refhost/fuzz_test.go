package refhost

import (
	"encoding/json"
	"testing"
)

// Whatever a server lists, a tool that is taken is JSON with the flat name, and nothing else about it has changed.
func FuzzFlatten(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a"}`, `{"name":"a","name":"b"}`, `{"x":{"name":1},"name":"\u00e9"}`, `{"n\u0061me":"c"}`, `{"name":"a"`, `[]`, `{"name":"a"} x`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := flatten("s", json.RawMessage(raw))
		if err != nil || !json.Valid([]byte(raw)) {
			return
		}
		var before, after map[string]json.RawMessage
		if json.Unmarshal([]byte(raw), &before) != nil || json.Unmarshal(got.raw, &after) != nil {
			t.Fatalf("%q became %q", raw, got.raw)
		}
		var name string
		if err := json.Unmarshal(after["name"], &name); err != nil || name != got.flat {
			t.Errorf("%q: name %q, want %q", raw, name, got.flat)
		}
		delete(before, "name")
		delete(after, "name")
		if len(before) != len(after) {
			t.Errorf("%q: members lost in %q", raw, got.raw)
		}
		for key, value := range before {
			if string(after[key]) != string(value) {
				t.Errorf("%q: %s is %s", raw, key, after[key])
			}
		}
	})
}
