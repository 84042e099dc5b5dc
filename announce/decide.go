package announce

import (
	"maps"

	"github.com/exec-ext/exec-ext/catalog"
)

// A turn is what the announcement's decision table looks at.
type turn struct {
	mode    modeRow
	open    bool // there is a channel
	markers []Marker
	last    *Marker // the newest marker; nil = none
	// base is the full catalog that the last message stands on: the last message itself, or the one its difference
	// builds on. nil = there is none, or it is gone from history.
	base    *Marker
	listing catalog.Listing // unless mode is flat
}

func look(s Situation, mode modeRow) turn {
	t := turn{mode: mode, open: s.ChannelOpen}
	if !t.open {
		return t
	}
	if mode.mode != modeFlat {
		t.listing = s.Pool.Render(s.Render)
	}
	return t.remember(s.History)
}

// remember reads what was said before.
func (t turn) remember(history []string) turn {
	t.markers = Read(history)
	if n := len(t.markers); n > 0 {
		t.last = &t.markers[n-1]
		t.base = standsOn(t.markers)
	}
	return t
}

// standsOn finds the full catalog under the newest marker. A difference speaks of the nearest full catalog before it,
// to a reader as well; so an equal one further back, beyond another full, an empty or a retired message, is not its
// base but a namesake of the base that is gone.
func standsOn(markers []Marker) *Marker {
	last := markers[len(markers)-1]
	for i := len(markers) - 1; i >= 0; i-- {
		m := &markers[i]
		switch {
		case m.Kind == kindFull && (last.Kind == kindFull || m.Digest == last.Base):
			return m
		case m.Kind != kindDiff:
			return nil
		}
	}
	return nil
}

func (t turn) lastIs(kinds ...string) bool {
	for _, kind := range kinds {
		if t.last != nil && t.last.Kind == kind {
			return true
		}
	}
	return false
}

// A row is one line of the announcement's decision table.
type row struct {
	kind   string // of the message; "" = say nothing
	reason string
	when   string // the condition in words
	holds  func(turn) bool
}

// rows is the decision table of the announcement. The first row that holds decides; the last one always does.
func rows() []row {
	return []row{
		{"", "channel_absent", "the host has no channel for announcements",
			func(t turn) bool { return !t.open }},
		{"", reasonUnavailable, "the pool is unavailable, which is not the same as empty",
			func(t turn) bool { return t.mode.reason == reasonUnavailable }},
		{kindRetired, "not_declared", "Exec is not declared, and the last message is a catalog or says that there are no tools",
			func(t turn) bool { return t.mode.mode == modeFlat && t.lastIs(kindFull, kindDiff, kindEmpty) }},
		{"", "nothing_to_retire", "Exec is not declared, and no message says otherwise",
			func(t turn) bool { return t.mode.mode == modeFlat }},
		{kindEmpty, "pool_emptied", "there are no tools, and the last message is a catalog",
			func(t turn) bool { return t.mode.mode == modeNone && t.lastIs(kindFull, kindDiff) }},
		{"", "nothing_to_take_back", "there are no tools, and no message says otherwise",
			func(t turn) bool { return t.mode.mode == modeNone }},
		{kindFull, "first", "no message of ours is in the history", func(t turn) bool { return t.last == nil }},
		{kindFull, "reopened", "the last message says that there is no catalog",
			func(t turn) bool { return t.lastIs(kindRetired, kindEmpty) }},
		{kindFull, "base_lost", "the last message is a difference, and the full catalog it builds on is gone",
			func(t turn) bool { return t.base == nil }},
		{"", "unchanged", "the last message stands for the catalog of now",
			func(t turn) bool { return t.last.Digest == t.listing.Digest }},
		{kindFull, "not_truncated", "the full catalog in the history or the one of now is complete",
			func(t turn) bool { return !t.base.Truncated || !t.listing.Truncated }},
		{kindFull, "same_counts", "the catalog has changed, but no server's count since the last message or since its full catalog",
			func(t turn) bool {
				now := counts(t.listing)
				return maps.Equal(now, t.base.Servers) || maps.Equal(now, t.last.Servers)
			}},
		{kindFull, "diff_not_shorter", "the difference would be as long as the full catalog, or longer",
			func(t turn) bool { return units(t.diff().Text) >= units(t.full().Text) }},
		{kindDiff, "counts_changed", "the servers' counts have changed", func(turn) bool { return true }},
	}
}

// A decision is the row that decided, where it stands in the table, and what comes of it.
type decision struct {
	row          row
	index        int
	announcement Announcement
}

func decide(t turn) decision {
	for i, r := range rows() {
		if !r.holds(t) {
			continue
		}
		a := t.message(r.kind)
		a.Reason = r.reason
		return decision{r, i, a}
	}
	panic("announce: the last row of the table did not hold")
}

// message writes a message of that kind.
func (t turn) message(kind string) Announcement {
	switch kind {
	case kindFull:
		return t.full()
	case kindDiff:
		return t.diff()
	case kindEmpty:
		return said(t.listing.Text, Marker{Kind: kindEmpty, Digest: t.listing.Digest, Servers: map[string]int{}})
	case kindRetired:
		return said(textRetired, Marker{Kind: kindRetired, Digest: digest(textRetired), Servers: map[string]int{}})
	}
	return Announcement{Action: "none"}
}

func (t turn) full() Announcement {
	return said(t.listing.Text, Marker{Kind: kindFull, Digest: t.listing.Digest, Truncated: t.listing.Truncated, Servers: counts(t.listing)})
}

func (t turn) diff() Announcement {
	return said(textDiff(t.base.Servers, t.listing.Servers), Marker{Kind: kindDiff, Digest: t.listing.Digest,
		Base: t.base.Digest, Truncated: t.listing.Truncated, Servers: counts(t.listing)})
}

func said(text string, m Marker) Announcement {
	m.V = markerVersion
	return Announcement{Action: "append", Kind: m.Kind, Text: text + "\n" + m.line(), Marker: &m}
}
