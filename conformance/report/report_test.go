package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func sample() *Report {
	check := func(id, variant string) Check {
		return Check{ID: id, Variant: variant, Level: "core", Scenarios: []string{"S1.1", "N9"}, Title: "a title with # and \\"}
	}
	return &Report{Suite: "extension", Command: []string{"prog", "serve"}, Results: []Result{
		{Check: check("ext.b.two", "ndjson"), Outcome: Fail, Detail: "first line\nsecond <line> \x01", Took: 1500 * time.Millisecond},
		{Check: check("ext.a.one", "ndjson"), Outcome: Pass, Took: time.Millisecond},
		{Check: check("ext.a.one", "content-length"), Outcome: Fail, Detail: "it differs"},
		{Check: check("ext.c.three", ""), Outcome: Skip, Detail: "not here"},
	}}
}

func TestSortAndExitCode(t *testing.T) {
	r := sample()
	r.Sort()
	var names []string
	for _, res := range r.Results {
		names = append(names, res.Name())
	}
	if got := strings.Join(names, ", "); got != "ext.a.one [content-length], ext.a.one [ndjson], ext.b.two [ndjson], ext.c.three" {
		t.Error(got)
	}
	if r.ExitCode() != ExitFailed {
		t.Error("failures give no failure")
	}
}

func TestBaseline(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(path, []byte("# known\next.b.two\next.a.one [content-length]  # one framing only\n\next.a.one [ndjson]\next.gone.away\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := ReadBaseline(path)
	if err != nil {
		t.Fatal(err)
	}
	r := sample()
	r.Apply(b)
	if r.ExitCode() != ExitPassed || r.Count(Known) != 2 {
		t.Errorf("exit code %d, %d known failures", r.ExitCode(), r.Count(Known))
	}
	if len(r.Notes) != 2 || !strings.Contains(r.Notes[0], "ext.a.one [ndjson] is in the baseline and did not fail") || !strings.Contains(r.Notes[1], "ext.gone.away is in the baseline and was not run") {
		t.Errorf("%q", r.Notes)
	}
	if _, err := ReadBaseline(path + ".not"); err == nil {
		t.Error("a baseline that is not there was read")
	}
}

func write(t *testing.T, r *Report, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	got := write(t, sample(), "text")
	want := `FAIL  ext.b.two [ndjson]: a title with # and \ (S1.1, N9)
      first line
      second <line> ` + "\x01" + `
FAIL  ext.a.one [content-length]: a title with # and \ (S1.1, N9)
      it differs
SKIP  ext.c.three: a title with # and \ (S1.1, N9)
      not here
core: 1 passed, 2 failed, 0 known failures, 1 skipped
total: 1 passed, 2 failed, 0 known failures, 1 skipped
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestTAP(t *testing.T) {
	r := sample()
	r.Apply(Baseline{"ext.b.two"})
	got := write(t, r, "tap")
	want := `TAP version 14
1..4
not ok 1 - ext.b.two [ndjson]: a title with \# and \\ # TODO known failure
  ---
  scenarios: [S1.1, N9]
  message: |
    first line
    second <line> ` + "\x01" + `
  ...
ok 2 - ext.a.one [ndjson]: a title with \# and \\
not ok 3 - ext.a.one [content-length]: a title with \# and \\
  ---
  scenarios: [S1.1, N9]
  message: |
    it differs
  ...
ok 4 - ext.c.three: a title with \# and \\ # SKIP not here
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestJUnit(t *testing.T) {
	got := write(t, sample(), "junit")
	var s junitSuite
	if err := xml.Unmarshal([]byte(got), &s); err != nil {
		t.Fatalf("%v in\n%s", err, got)
	}
	if s.Tests != 4 || s.Failures != 2 || s.Skipped != 1 || len(s.Cases) != 4 {
		t.Errorf("%+v", s)
	}
	first := s.Cases[0]
	if first.Name != "ext.b.two [ndjson]" || first.Time != "1.500" || first.Failure == nil || first.Failure.Text != "first line\nsecond <line> \uFFFD" {
		t.Errorf("%+v", first)
	}
}

func TestJSON(t *testing.T) {
	var got struct {
		Suite   string
		Command []string
		Counts  map[string]int
		Results []struct{ ID, Variant, Outcome, Detail string }
	}
	if err := json.Unmarshal([]byte(write(t, sample(), "json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Suite != "extension" || got.Counts["fail"] != 2 || got.Counts["pass"] != 1 || len(got.Results) != 4 || got.Results[0].Detail == "" {
		t.Errorf("%+v", got)
	}
	if err := sample().Write(&bytes.Buffer{}, "html"); err == nil {
		t.Error("a format that does not exist was written")
	}
}
