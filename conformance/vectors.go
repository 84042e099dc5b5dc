// Package conformance holds the vectors: what a peer of the wire protocol must do, as data without a language.
// INTERPRETING.md says how they are read; extkit and hostkit are the interpreters in Go.
package conformance

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed vectors/*.json
var files embed.FS

const (
	folder       = "vectors"
	coverageFile = "coverage.json"
)

// A Header is what every vector has, whatever its area.
type Header struct {
	ID        string   `json:"id"` // "ext.", or "host." where a host is checked, then the area and a name; never changes
	Title     string   `json:"title"`
	Scenarios []string `json:"scenarios"` // of the acceptance list
	Level     string   `json:"level"`
}

// A Vector is one check. Raw is the whole of it, header included, in the spelling of its file.
type Vector struct {
	Header
	Area string
	Raw  json.RawMessage
}

// A file holds the vectors of one area, or some of them.
type file struct {
	Area    string            `json:"area"`
	About   string            `json:"about"`
	Vectors []json.RawMessage `json:"vectors"`
}

// Load reads all vectors, in the order of their ids. A file without vectors, an id that comes twice or does not begin
// with its area, and a header that is not whole are errors.
func Load() ([]Vector, error) {
	entries, err := files.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	var all []Vector
	for _, e := range entries {
		if e.Name() == coverageFile {
			continue
		}
		some, err := loadFile(e)
		if err != nil {
			return nil, fmt.Errorf("vectors: %s: %w", e.Name(), err)
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b Vector) int { return strings.Compare(a.ID, b.ID) })
	for i := 1; i < len(all); i++ {
		if all[i].ID == all[i-1].ID {
			return nil, fmt.Errorf("vectors: %s comes twice", all[i].ID)
		}
	}
	return all, nil
}

func loadFile(e fs.DirEntry) ([]Vector, error) {
	text, err := files.ReadFile(path.Join(folder, e.Name()))
	if err != nil {
		return nil, err
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	if len(f.Vectors) == 0 {
		return nil, fmt.Errorf("no vectors")
	}
	var out []Vector
	for i, raw := range f.Vectors {
		v := Vector{Area: f.Area, Raw: raw}
		if err := json.Unmarshal(raw, &v.Header); err != nil {
			return nil, fmt.Errorf("vector %d: %w", i+1, err)
		}
		if err := v.complete(); err != nil {
			return nil, fmt.Errorf("vector %d (%s): %w", i+1, v.ID, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// Decode reads the whole vector; a member that has no place in it is an error.
func (v Vector) Decode(into any) error {
	d := json.NewDecoder(bytes.NewReader(v.Raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", v.ID, err)
	}
	return nil
}

func (v Vector) complete() error {
	switch {
	case !strings.HasPrefix(v.ID, "ext."+v.Area+".") && !strings.HasPrefix(v.ID, "host."+v.Area+"."):
		return fmt.Errorf("the id does not begin with ext.%s. or host.%[1]s. as it should", v.Area)
	case v.Title == "":
		return fmt.Errorf("no title")
	case !slices.Contains(Levels(), v.Level):
		return fmt.Errorf("level %q is none of %v", v.Level, Levels())
	}
	return nil
}

// Levels are the levels of conformance; each includes those before it.
func Levels() []string { return []string{"core", "catalog", "full"} }

// A Cover says where one scenario of the acceptance list is held: in vectors, or for a reason elsewhere.
type Cover struct {
	Title   string   `json:"title"` // what must be true, in short
	Vectors []string `json:"vectors,omitempty"`
	Reason  string   `json:"reason,omitempty"`
}

// Coverage is the acceptance list by scenario.
func Coverage() (map[string]Cover, error) {
	text, err := files.ReadFile(path.Join(folder, coverageFile))
	if err != nil {
		return nil, fmt.Errorf("coverage: %w", err)
	}
	var c map[string]Cover
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("coverage: %w", err)
	}
	return c, nil
}
