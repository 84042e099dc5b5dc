package announce

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Explain says for a person what Prepare decides and why: the lines of both decision tables down to the one that
// decided, the markers read, the plan and the message. Its wording is not part of any contract.
func Explain(s Situation) string {
	mode := decideMode(s)
	t := look(s, mode)
	d := decide(t)
	var b strings.Builder

	fmt.Fprintf(&b, "Declaration: %s, because %s\n", mode.mode, mode.reason)
	for _, row := range modeRows() {
		tick(&b, row.reason == mode.reason, row.reason, row.when)
		if row.reason == mode.reason {
			break
		}
	}
	fmt.Fprintf(&b, "  tools[] gets: %s\n", declared(declare(mode.mode, s.Pool)))

	if t.open {
		fmt.Fprintf(&b, "\nHistory: %s in %s\n", plural(len(t.markers), "marker"), plural(len(s.History), "text"))
		explainHistory(&b, s.History)
		if mode.mode != modeFlat {
			l := t.listing
			now := Marker{Kind: "pool now:", Digest: l.Digest, Truncated: l.Truncated, Servers: counts(l)}
			fmt.Fprintf(&b, "  %s, %d of %s shown\n", now.describe(), l.Shown, plural(l.Total, "tool"))
		}
	}

	fmt.Fprintf(&b, "\nAnnouncement: %s, because %s\n", what(d.announcement), d.row.reason)
	for _, row := range rows()[:d.index+1] {
		tick(&b, row.reason == d.row.reason, row.reason, row.when)
	}
	if d.row.reason == "diff_not_shorter" || d.row.kind == kindDiff {
		fmt.Fprintf(&b, "  characters, marker line included: difference %d, full catalog %d\n", units(t.diff().Text), units(t.full().Text))
	}
	if d.announcement.Action == "append" {
		b.WriteString("\nMessage to append:\n")
		for line := range strings.Lines(d.announcement.Text) {
			b.WriteString("  | " + line)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// explainHistory lists what was read of each text, and where a marker of ours is damaged.
func explainHistory(b *strings.Builder, history []string) {
	for i, text := range history {
		read := Read([]string{text})
		for _, m := range read {
			fmt.Fprintf(b, "  text %d: %s\n", i+1, m.describe())
		}
		if n := strings.Count(text, markerName) - len(read); n > 0 {
			fmt.Fprintf(b, "  text %d: %s of %s without a marker that can be read\n", i+1, plural(n, "mention"), markerName)
		}
	}
}

func tick(b *strings.Builder, holds bool, reason, when string) {
	answer := "no "
	if holds {
		answer = "YES"
	}
	fmt.Fprintf(b, "  %s  %-20s  %s\n", answer, reason, when)
}

func what(a Announcement) string {
	if a.Action == "none" {
		return "none"
	}
	return a.Action + " " + a.Kind
}

func declared(names []string) string {
	switch {
	case names == nil:
		return "what it would get without this extension"
	case len(names) == 0:
		return "no MCP tool"
	case names[0] == Tool:
		return Tool
	}
	return plural(len(names), "tool") + " of the pool, each by its own name"
}

// describe is a marker on one line, digests cut to what tells them apart.
func (m Marker) describe() string {
	parts := []string{m.Kind, m.Digest[:8]}
	if m.Base != "" {
		parts = append(parts, "on "+m.Base[:8])
	}
	if m.Truncated {
		parts = append(parts, "truncated")
	}
	var servers []string
	for _, name := range slices.Sorted(maps.Keys(m.Servers)) {
		servers = append(servers, fmt.Sprintf("%s %d", name, m.Servers[name]))
	}
	if servers != nil {
		parts = append(parts, "("+strings.Join(servers, ", ")+")")
	}
	return strings.Join(parts, " ")
}
