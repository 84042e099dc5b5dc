package report

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// A Baseline lists checks that are known to fail, each by its id (all variants) or by its name with the variant.
type Baseline []string

// ReadBaseline reads a baseline file: a name on each line; blank lines and what follows a # are left out.
func ReadBaseline(path string) (Baseline, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	defer f.Close()
	b, err := parseBaseline(f)
	if err != nil {
		return nil, fmt.Errorf("baseline %s: %w", path, err)
	}
	return b, nil
}

func parseBaseline(r io.Reader) (Baseline, error) {
	var b Baseline
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, _, _ := strings.Cut(lines.Text(), "#")
		if name = strings.TrimSpace(name); name != "" {
			b = append(b, name)
		}
	}
	return b, lines.Err()
}

// Apply turns the failures that are listed into known ones, and notes what is listed and did not fail.
func (r *Report) Apply(b Baseline) {
	failed := map[string]bool{}
	ran := map[string]bool{}
	for i := range r.Results {
		res := &r.Results[i]
		listed := slices.Contains(b, res.ID) || slices.Contains(b, res.Name())
		ran[res.ID], ran[res.Name()] = true, true
		if listed && res.Outcome == Fail {
			res.Outcome = Known
			failed[res.ID], failed[res.Name()] = true, true
		}
	}
	for _, name := range b {
		switch {
		case failed[name]:
		case ran[name]:
			r.Notes = append(r.Notes, name+" is in the baseline and did not fail: take it out")
		default:
			r.Notes = append(r.Notes, name+" is in the baseline and was not run")
		}
	}
}
