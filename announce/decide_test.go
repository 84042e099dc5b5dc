package announce

import (
	"slices"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/catalog"
)

// listing is a catalog as far as planning looks at it. Its text is long enough that differences pay.
func listing(digest string, truncated bool, servers ...catalog.ServerCount) catalog.Listing {
	return catalog.Listing{Text: strings.Repeat("a line of the catalog\n", 200), Digest: digest, Truncated: truncated, Servers: servers}
}

func server(name string, total int) catalog.ServerCount {
	return catalog.ServerCount{Name: name, Total: total}
}

func xy(x, y int) map[string]int { return map[string]int{"x": x, "y": y} }

func TestAnnouncementTable(t *testing.T) {
	var (
		exec        = modeRow{mode: modeExec, reason: "pool_nonempty"}
		flat        = modeRow{mode: modeFlat, reason: "denied"}
		unavailable = modeRow{mode: modeFlat, reason: reasonUnavailable}
		none        = modeRow{mode: modeNone, reason: "pool_empty"}

		full    = fullOf(digestA, true, xy(5, 9))
		whole   = fullOf(digestA, false, xy(5, 9))
		diff    = diffOf(digestB, digestA, xy(6, 9))
		empty   = endOf(kindEmpty)
		retired = endOf(kindRetired)

		same      = listing(digestA, true, server("x", 5), server("y", 9))
		sameWhole = listing(digestA, false, server("x", 5), server("y", 9))
		counted   = listing(digestC, true, server("x", 7), server("y", 9))
		edited    = listing(digestC, true, server("x", 5), server("y", 9))
		complete  = listing(digestC, false, server("x", 7), server("y", 9))
		afterDiff = listing(digestB, true, server("x", 6), server("y", 9))
		editedTwo = listing(digestC, true, server("x", 6), server("y", 9))
		tiny      = catalog.Listing{Text: "small", Digest: digestC, Truncated: true, Servers: counted.Servers}
	)
	for _, c := range []struct {
		name    string
		mode    modeRow
		closed  bool
		history []Marker
		now     catalog.Listing
		kind    string
		reason  string
	}{
		{"S6.12 no channel", exec, true, nil, same, "", "channel_absent"},
		{"S6.12 no channel, catalog in history", flat, true, []Marker{full}, same, "", "channel_absent"},
		{"S6.12 E3 unavailable is not empty", unavailable, false, []Marker{full}, same, "", "pool_unavailable"},
		{"E3 unavailable, nothing said", unavailable, false, nil, same, "", "pool_unavailable"},
		{"S6.11 withdrawn after a full catalog", flat, false, []Marker{full}, same, "retired", "not_declared"},
		{"S6.11 withdrawn after a difference", flat, false, []Marker{full, diff}, same, "retired", "not_declared"},
		{"S6.11 withdrawn after empty", flat, false, []Marker{full, empty}, same, "retired", "not_declared"},
		{"S6.5 withdrawn, said already", flat, false, []Marker{full, retired}, same, "", "nothing_to_retire"},
		{"S2.4 never declared", flat, false, nil, same, "", "nothing_to_retire"},
		{"S6.10 emptied after a full catalog", none, false, []Marker{full}, catalog.Listing{}, "empty", "pool_emptied"},
		{"S6.10 emptied after a difference", none, false, []Marker{full, diff}, catalog.Listing{}, "empty", "pool_emptied"},
		{"S6.5 empty, said already", none, false, []Marker{full, empty}, catalog.Listing{}, "", "nothing_to_take_back"},
		{"empty after retired", none, false, []Marker{full, retired}, catalog.Listing{}, "", "nothing_to_take_back"},
		{"S6.3 empty from the start", none, false, nil, catalog.Listing{}, "", "nothing_to_take_back"},
		{"S6.2 first", exec, false, nil, same, "full", "first"},
		{"S6.11 open again, unchanged pool", exec, false, []Marker{full, retired}, same, "full", "reopened"},
		{"filled again, unchanged pool", exec, false, []Marker{full, empty}, same, "full", "reopened"},
		{"S6.5 unchanged", exec, false, []Marker{full}, same, "", "unchanged"},
		{"S6.5 unchanged, complete", exec, false, []Marker{whole}, sameWhole, "", "unchanged"},
		{"S6.5 unchanged since the difference", exec, false, []Marker{full, diff}, afterDiff, "", "unchanged"},
		{"S6.6 the difference's base is gone", exec, false, []Marker{diff}, afterDiff, "full", "base_lost"},
		{"S6.7 the base is gone and counts changed", exec, false, []Marker{diff}, counted, "full", "base_lost"},
		{"a base of the same digest before retired is not the base", exec, false, []Marker{full, retired, diff}, afterDiff, "full", "base_lost"},
		{"a base of the same digest before another full is not the base", exec, false,
			[]Marker{full, fullOf(digestC, true, xy(1, 1)), diff}, afterDiff, "full", "base_lost"},
		{"S6.9 complete becomes truncated", exec, false, []Marker{whole}, counted, "full", "not_truncated"},
		{"S6.9 truncated becomes complete", exec, false, []Marker{full}, complete, "full", "not_truncated"},
		{"complete stays complete", exec, false, []Marker{whole}, complete, "full", "not_truncated"},
		{"E14 text changed, counts not", exec, false, []Marker{full}, edited, "full", "same_counts"},
		{"text changed, counts as in the difference", exec, false, []Marker{full, diff}, editedTwo, "full", "same_counts"},
		{"counts back at the base's, text is not", exec, false, []Marker{full, diff}, edited, "full", "same_counts"},
		{"counts and text back at the base's", exec, false, []Marker{full, diff}, same, "full", "same_counts"},
		{"S6.8 difference not shorter", exec, false, []Marker{full}, tiny, "full", "diff_not_shorter"},
		{"S6.7 counts changed", exec, false, []Marker{full}, counted, "diff", "counts_changed"},
		{"S6.7 counts changed again", exec, false, []Marker{full, diff}, counted, "diff", "counts_changed"},
		{"newest full counts, not the oldest", exec, false, []Marker{full, fullOf(digestB, true, xy(7, 8))}, counted, "diff", "counts_changed"},
	} {
		var history []string
		for _, m := range c.history {
			history = append(history, m.line())
		}
		turn := turn{mode: c.mode, open: !c.closed, listing: c.now}
		if !c.closed {
			turn = turn.remember(history)
		}
		got := decide(turn).announcement
		if got.Kind != c.kind || got.Reason != c.reason || (got.Action == "append") != (c.kind != "") {
			t.Errorf("%s: got %s %q because %s, want %q because %s", c.name, got.Action, got.Kind, got.Reason, c.kind, c.reason)
		}
	}
}

func TestEveryRowHasItsOwnReason(t *testing.T) {
	var reasons []string
	for _, r := range rows() {
		reasons = append(reasons, r.reason)
	}
	for _, r := range modeRows() {
		reasons = append(reasons, r.reason+" (declaration)")
	}
	slices.Sort(reasons)
	if n := len(slices.Compact(slices.Clone(reasons))); n != len(reasons) {
		t.Errorf("a reason stands twice: %q", reasons)
	}
}

func TestS6_7_DiffStatesEveryDifferenceFromItsBase(t *testing.T) {
	base := fullOf(digestA, true, map[string]int{"gone": 2, "grown": 4, "kept": 3, "left": 1, "shrunk": 9})
	turn := turn{
		mode: modeRow{mode: modeExec},
		open: true,
		listing: listing(digestC, true,
			server("added", 12), server("grown", 5), server("kept", 3), server("shrunk", 1)),
	}.remember([]string{base.line(), diffOf(digestB, digestA, map[string]int{"gone": 2}).line()})
	got := decide(turn).announcement
	want := textDiffHead + `
- mcp__added (12 tools, new)
- mcp__grown (5 tools, before: 4)
- mcp__shrunk (1 tool, before: 9)
- mcp__gone (gone)
- mcp__left (gone)
` + textDiffTail + `
<!-- mcp-catalog {"v":1,"kind":"diff","digest":"` + digestC + `","base":"` + digestA +
		`","truncated":true,"servers":{"added":12,"grown":5,"kept":3,"shrunk":1}} -->`
	if got.Text != want {
		t.Errorf("got\n%s\nwant\n%s", got.Text, want)
	}
}

func TestLengthsAreComparedWithTheirMarkerLines(t *testing.T) {
	base := fullOf(digestA, true, xy(5, 9))
	now := listing(digestC, true, server("x", 7), server("y", 9))
	turn := turn{mode: modeRow{mode: modeExec}, open: true, listing: now}.remember([]string{base.line()})
	// The marker of a difference is longer than that of a full catalog, by the digest of the base.
	spare := units(turn.diff().Text) - units(turn.full().Text) + units(now.Text)
	for width, kind := range map[int]string{spare: kindFull, spare + 1: kindDiff} {
		turn.listing.Text = strings.Repeat("c", width)
		if got := decide(turn).announcement; got.Kind != kind {
			t.Errorf("catalog of %d characters: %s, want %s", width, got.Kind, kind)
		}
	}
}

func TestN10_UnitsAreUTF16(t *testing.T) {
	if got := units("aé漢😀\xff"); got != 6 {
		t.Errorf("got %d", got)
	}
}

func TestN4_S6_10_S6_11_PhrasesNameNoToolAndNoNumber(t *testing.T) {
	for _, phrase := range []string{textRetired, textDiffHead, textDiffTail} {
		if strings.ContainsAny(phrase, "0123456789\n") || strings.Contains(phrase, Tool) || strings.Contains(phrase, "mcp__") {
			t.Errorf("%q", phrase)
		}
	}
}
