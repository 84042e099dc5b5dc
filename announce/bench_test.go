package announce

import (
	"fmt"
	"testing"
)

// BenchmarkPrepareUnchanged is a turn on a pool of 10,000 tools that was announced before: the price of every turn in
// which nothing happens.
func BenchmarkPrepareUnchanged(b *testing.B) {
	s := bigSituation(b)
	s.History = []string{Prepare(s).Announcement.Text}
	for b.Loop() {
		if a := Prepare(s).Announcement; a.Reason != "unchanged" {
			b.Fatal(a.Reason)
		}
	}
}

// BenchmarkPrepareFirst is the first turn, with the rendering of the whole pool.
func BenchmarkPrepareFirst(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		s := bigSituation(b)
		b.StartTimer()
		Prepare(s)
	}
}

func bigSituation(b *testing.B) Situation {
	var shares []share
	for i := range 100 {
		shares = append(shares, share{fmt.Sprintf("server%02d", i), 100, ""})
	}
	return normal(poolOf(b, nil, shares...))
}
