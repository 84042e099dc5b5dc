package announce

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/exec-ext/exec-ext/catalog"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// foreign is what hangs on the catalog's wording, which is not this package's.
var foreign = regexp.MustCompile(`\b[0-9a-f]{8}\b|\b[0-9a-f]{64}\b|full catalog \d+`)

func TestExplainGolden(t *testing.T) {
	before := poolOf(t, nil, share{"git", 9, ""}, share{"web", 7, ""})
	now := poolOf(t, nil, share{"git", 8, ""}, share{"mail", 1, ""}, share{"web", 7, ""})
	tight := func(pool *catalog.Pool, history ...string) Situation {
		s := normal(pool, history...)
		s.Render.BudgetTokens = 0
		return s
	}
	first := Prepare(tight(before)).Announcement.Text
	withdrawn := tight(now, first)
	withdrawn.Exec = ExecDenied
	silent := tight(now, first)
	silent.ChannelOpen = false
	damaged := strings.Replace(first, `"v":1`, `"v":2`, 1)

	got := &txtar.Archive{Comment: []byte("What Explain says of four turns. What hangs on the wording of the catalog reads #.\n")}
	for _, c := range []struct {
		name string
		s    Situation
	}{
		{"a difference", tight(now, "Be brief.", first)},
		{"denied", withdrawn},
		{"no channel", silent},
		{"no pool, and a marker of a newer version", tight(nil, damaged)},
	} {
		text := foreign.ReplaceAllString(Explain(c.s), "#")
		got.Files = append(got.Files, txtar.File{Name: c.name, Data: []byte(text)})
	}
	const golden = "testdata/explain.txtar"
	if *update {
		if err := os.WriteFile(golden, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(txtar.Format(got))); diff != "" {
		t.Error(diff)
	}
}

// Explain must say what Prepare does: it prints the reason and the very text.
func TestExplainAgreesWithPrepare(t *testing.T) {
	pools := smallPools(t)
	for i, pool := range pools {
		s := normal(pool, Prepare(normal(pools[(i+5)%len(pools)])).Announcement.Text)
		plan, said := Prepare(s), Explain(s)
		if !strings.Contains(said, "because "+plan.Reason+"\n") || !strings.Contains(said, "because "+plan.Announcement.Reason+"\n") {
			t.Errorf("pool %d: %s, %s:\n%s", i, plan.Reason, plan.Announcement.Reason, said)
		}
		if text := strings.ReplaceAll(said, "  | ", ""); !strings.Contains(text, plan.Announcement.Text) {
			t.Errorf("pool %d: the message is missing:\n%s", i, said)
		}
	}
}
