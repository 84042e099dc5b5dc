package announce

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exec-ext/exec-ext/catalog"
)

var wide = catalog.Options{BudgetTokens: 2000, Depth: 8, DescriptionChars: 120}

// normal is a host with nothing in the way of Exec.
func normal(pool *catalog.Pool, history ...string) Situation {
	return Situation{HostCanCall: true, Enabled: true, Exec: ExecOn, Pool: pool, Render: wide, ChannelOpen: true, History: history}
}

func TestDeclarationTable(t *testing.T) {
	tools := poolOf(t, nil, share{"git", 2, ""})
	empty := poolOf(t, nil)
	folded, flat, nothing := []string{"Exec"}, []string{"mcp__git__tool00", "mcp__git__tool01"}, []string{}
	for _, c := range []struct {
		name    string
		change  func(*Situation)
		pool    *catalog.Pool
		mode    string
		reason  string
		declare []string
	}{
		{"S2.1 tools", nil, tools, "exec", "pool_nonempty", folded},
		{"S2.1 one tool is enough", nil, poolOf(t, nil, share{"git", 1, ""}), "exec", "pool_nonempty", folded},
		{"S2.2 no tools", nil, empty, "none", "pool_empty", nothing},
		{"S2.6 all tools denied", nil, poolOf(t, []string{"mcp__git__*"}, share{"git", 2, ""}), "none", "pool_empty", nothing},
		{"E3 no pool", nil, nil, "flat", "pool_unavailable", nil},
		{"host cannot call", func(s *Situation) { s.HostCanCall = false }, tools, "flat", "host_cannot_call", flat},
		{"S9.2 disabled", func(s *Situation) { s.Enabled = false }, tools, "flat", "disabled", flat},
		{"S2.4 not registered", func(s *Situation) { s.Exec = ExecNotRegistered }, tools, "flat", "not_registered", flat},
		{"S2.3 denied", func(s *Situation) { s.Exec = ExecDenied }, tools, "flat", "denied", flat},
		{"S9.5 E16 excluded", func(s *Situation) { s.Exec = ExecExcluded }, tools, "flat", "excluded", flat},
		{"state left out", func(s *Situation) { s.Exec = "" }, tools, "exec", "pool_nonempty", folded},
		{"disabled and no tools", func(s *Situation) { s.Enabled = false }, empty, "flat", "disabled", nothing},
		{"denied and no pool", func(s *Situation) { s.Exec = ExecDenied }, nil, "flat", "denied", nil},
		{"order: cannot call before disabled", func(s *Situation) { s.HostCanCall, s.Enabled = false, false }, nil, "flat", "host_cannot_call", nil},
		{"order: disabled before denied", func(s *Situation) { s.Enabled, s.Exec = false, ExecDenied }, tools, "flat", "disabled", flat},
	} {
		s := normal(c.pool)
		if c.change != nil {
			c.change(&s)
		}
		got := Prepare(s)
		if got.Mode != c.mode || got.Reason != c.reason {
			t.Errorf("%s: %s/%s, want %s/%s", c.name, got.Mode, got.Reason, c.mode, c.reason)
		}
		if diff := cmp.Diff(c.declare, got.Declare); diff != "" {
			t.Errorf("%s: declare: %s", c.name, diff)
		}
	}
}

func TestS2_3_S9_5_StateOf(t *testing.T) {
	for _, c := range []struct {
		base       ExecState
		deny       []string
		disallowed []string
		want       ExecState
	}{
		{ExecOn, nil, nil, ExecOn},
		{"", nil, nil, ExecOn},
		{ExecOn, []string{"Exec"}, nil, ExecDenied},
		{ExecOn, nil, []string{"mcp__git__push", "Exec"}, ExecExcluded},
		{ExecOn, []string{"Exec"}, []string{"Exec"}, ExecDenied},
		{ExecOn, []string{"Ex*"}, nil, ExecDenied},
		{ExecOn, nil, []string{"*"}, ExecExcluded},
		{ExecOn, []string{"exec", "Exe", "Exec2", "Exec2*", "mcp__*", ""}, []string{"xec", "*Exec"}, ExecOn},
		{ExecNotRegistered, []string{"Exec"}, []string{"Exec"}, ExecNotRegistered},
		{ExecDenied, nil, []string{"Exec"}, ExecDenied},
		{ExecExcluded, []string{"Exec"}, nil, ExecDenied},
		{ExecExcluded, nil, nil, ExecExcluded},
	} {
		if got := StateOf(c.base, c.deny, c.disallowed); got != c.want {
			t.Errorf("%q with deny %q, disallowed %q: %q, want %q", c.base, c.deny, c.disallowed, got, c.want)
		}
	}
}

func TestS2_5_S9_4_DecidedAnewEachTime(t *testing.T) {
	tools, empty := poolOf(t, nil, share{"git", 2, ""}), poolOf(t, nil)
	var history, kinds []string
	turn := func(pool *catalog.Pool, enabled bool) {
		s := normal(pool, history...)
		s.Enabled = enabled
		plan := Prepare(s)
		if plan.Announcement.Action == "append" {
			history = append(history, plan.Announcement.Text)
		}
		kinds = append(kinds, plan.Mode+" "+plan.Announcement.Kind)
	}
	turn(empty, true)
	turn(tools, true)
	turn(empty, true)
	turn(tools, true)
	turn(tools, false)
	turn(tools, false)
	turn(tools, true)
	want := []string{"none ", "exec full", "none empty", "exec full", "flat retired", "flat ", "exec full"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
}

func TestS6_2_TheFullMessageIsTheCatalogAndItsMarker(t *testing.T) {
	pool := poolOf(t, nil, share{"git", 3, ""}, share{"<odd>", 1, ""})
	for _, budget := range []int{0, 2000} {
		s := normal(pool)
		s.Render.BudgetTokens = budget
		plan, l := Prepare(s), pool.Render(s.Render)
		text, line, _ := cutLast(plan.Announcement.Text)
		if text != l.Text || digest(text) != l.Digest || plan.Announcement.Marker.Digest != l.Digest {
			t.Errorf("budget %d: the message is not the catalog's text", budget)
		}
		want := fullOf(l.Digest, l.Truncated, map[string]int{"git": 3, "<odd>": 1})
		if diff := cmp.Diff([]Marker{want}, Read([]string{line})); diff != "" || l.Truncated != (budget == 0) {
			t.Errorf("budget %d: %s", budget, diff)
		}
	}
}

func cutLast(text string) (before, line string, found bool) {
	i := strings.LastIndex(text, "\n")
	return text[:i], text[i+1:], true
}

func TestS6_10_S6_11_TextsWithoutACatalog(t *testing.T) {
	tools := poolOf(t, nil, share{"git", 2, ""})
	announced := Prepare(normal(tools)).Announcement.Text

	empty := Prepare(normal(poolOf(t, nil), announced)).Announcement
	disabled := normal(tools, announced)
	disabled.Enabled = false
	retired := Prepare(disabled).Announcement

	for kind, a := range map[string]Announcement{kindEmpty: empty, kindRetired: retired} {
		body, line, _ := cutLast(a.Text)
		if a.Kind != kind || a.Marker.Digest != digest(body) || line != a.Marker.line() || len(a.Marker.Servers) != 0 {
			t.Errorf("%s: %+v", kind, a)
		}
		if strings.Contains(a.Text, "Exec") || strings.Contains(a.Text, "mcp__") || !strings.Contains(line, `"servers":{}`) {
			t.Errorf("%s names what is not declared: %s", kind, a.Text)
		}
	}
}

func TestS6_12_SilenceWithoutAChannel(t *testing.T) {
	for _, pool := range []*catalog.Pool{nil, poolOf(t, nil), poolOf(t, nil, share{"git", 1, ""})} {
		s := normal(pool, fullOf(digestA, true, map[string]int{"git": 9}).line())
		s.ChannelOpen = false
		if a := Prepare(s).Announcement; a.Action != "none" || a.Marker != nil || a.Text != "" {
			t.Errorf("something is said: %+v", a)
		}
	}
}

// N5: the answer hangs on nothing but the situation. Connection order and the order of the tools are not in it.
func TestN5_S5_8_SameInputSameBytes(t *testing.T) {
	shares := []share{{"web", 7, ""}, {"git", 9, ""}, {"mail", 2, ""}}
	small := func(shares []share) Situation {
		s := normal(poolOf(t, nil, shares...))
		s.Render.BudgetTokens = 150
		return s
	}
	base := Prepare(small(shares)).Announcement.Text
	shares[0].tools = 8
	next := small(shares)
	next.History = []string{base}
	want := Prepare(next)
	if want.Announcement.Kind != kindDiff {
		t.Fatalf("a %s because %s", want.Announcement.Kind, want.Announcement.Reason)
	}
	slices.Reverse(shares)
	again := small(shares)
	again.History = []string{base}
	if diff := cmp.Diff(want, Prepare(again)); diff != "" {
		t.Error(diff)
	}
}
