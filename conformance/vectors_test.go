package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the vectors listed in coverage.json from the vectors themselves")

// scenarios are all ids of the acceptance list, in its order.
func scenarios() []string {
	var all []string
	for _, part := range []struct {
		prefix string
		count  int
	}{
		{"S1.", 7}, {"S2.", 9}, {"S3.", 6}, {"S4.", 9}, {"S5.", 13}, {"S6.", 12}, {"S7.", 10}, {"S8.", 5}, {"S9.", 5}, {"S10.", 9},
		{"N", 12}, {"E", 18}, {"M", 20},
	} {
		for i := range part.count {
			all = append(all, fmt.Sprintf("%s%d", part.prefix, i+1))
		}
	}
	return all
}

// There are enough vectors, their headers are whole, and each names scenarios that exist.
func TestVectors(t *testing.T) {
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 250 {
		t.Errorf("only %d vectors", len(all))
	}
	id := regexp.MustCompile(`^(ext|host)(\.[a-z0-9]+(-[a-z0-9]+)*){2}$`)
	titles := map[string]string{}
	for _, v := range all {
		if !id.MatchString(v.ID) {
			t.Errorf("%s: ids are of small letters, digits and hyphens", v.ID)
		}
		if len(v.Scenarios) == 0 {
			t.Errorf("%s names no scenario", v.ID)
		}
		if other := titles[v.Area+v.Title]; other != "" && !strings.HasPrefix(v.Area, "host") {
			if v.ID != other && !sameInBothFramings(v, other, all) {
				t.Errorf("%s and %s have one title", v.ID, other)
			}
		}
		titles[v.Area+v.Title] = v.ID
	}
}

// sameInBothFramings says that two vectors are one check, once for each framing.
func sameInBothFramings(v Vector, other string, all []Vector) bool {
	i := slices.IndexFunc(all, func(o Vector) bool { return o.ID == other })
	return bytes.Contains(v.Raw, []byte(`"framing"`)) && bytes.Contains(all[i].Raw, []byte(`"framing"`))
}

// Every scenario has a vector or a written reason, and coverage.json says which, exactly.
func TestCoverage(t *testing.T) {
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	coverage, err := Coverage()
	if err != nil {
		t.Fatal(err)
	}
	claimed := map[string][]string{}
	for _, v := range all {
		for _, s := range v.Scenarios {
			if !slices.Contains(scenarios(), s) {
				t.Errorf("%s names scenario %s, which does not exist", v.ID, s)
			}
			claimed[s] = append(claimed[s], v.ID)
		}
	}
	if *update {
		writeCoverage(t, coverage, claimed)
		return
	}
	for _, s := range scenarios() {
		c := coverage[s]
		if !slices.Equal(c.Vectors, claimed[s]) {
			t.Errorf("%s: coverage.json is stale, run go test ./conformance -run TestCoverage -update", s)
		}
		if c.Title == "" {
			t.Errorf("%s has no title", s)
		}
		if len(c.Vectors) == 0 && len(c.Reason) < 30 {
			t.Errorf("%s has neither a vector nor a reason", s)
		}
	}
	for s := range maps.Keys(coverage) {
		if !slices.Contains(scenarios(), s) {
			t.Errorf("coverage.json has %s, which is no scenario", s)
		}
	}
}

// What belongs to the profile that is not built says so, and is held to its refusal.
func TestCoverage_M12_ProfileAllIsRefused(t *testing.T) {
	coverage, err := Coverage()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"M10", "M11", "M12", "M13", "M15", "M16", "M18", "M20"} {
		c := coverage[s]
		if !strings.Contains(c.Reason, "not_supported") || !slices.Contains(c.Vectors, "ext.lifecycle.profile-all") {
			t.Errorf("%s: %+v", s, c)
		}
	}
}

func writeCoverage(t *testing.T, old map[string]Cover, claimed map[string][]string) {
	t.Helper()
	var b bytes.Buffer
	for i, s := range scenarios() {
		if i > 0 {
			b.WriteString(",\n")
		}
		line, err := json.Marshal(Cover{Title: old[s].Title, Vectors: claimed[s], Reason: old[s].Reason})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%q: %s", s, line)
	}
	if err := os.WriteFile("vectors/coverage.json", []byte("{\n"+b.String()+"\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAction(t *testing.T) {
	if a, err := Action(map[string]bool{"call": true, "exit": false}); a != "call" || err != nil {
		t.Errorf("%q, %v", a, err)
	}
	for _, given := range []map[string]bool{{"call": false}, {"call": true, "exit": true}} {
		if a, err := Action(given); err == nil {
			t.Errorf("%v: %q", given, a)
		}
	}
}
