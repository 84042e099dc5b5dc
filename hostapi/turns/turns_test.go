package turns

import (
	"context"
	"testing"
)

func TestM5_TurnsKeepTheirOrder(t *testing.T) {
	for _, atOnce := range []int{1, 3} {
		l := NewLine(atOnce)
		var ahead []*Turn
		for range atOnce {
			turn := l.Join()
			if err := turn.Wait(t.Context()); err != nil {
				t.Fatalf("%d at once: %v", atOnce, err)
			}
			ahead = append(ahead, turn)
		}
		second, third, fourth := l.Join(), l.Join(), l.Join()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for _, turn := range []*Turn{second, third} {
			if turn.Wait(gone) == nil {
				t.Fatalf("more than %d at once", atOnce)
			}
		}
		second.Leave()
		ahead[0].Leave()
		ahead[0].Leave() // counts once
		if err := third.Wait(t.Context()); err != nil {
			t.Fatal("the turn went to one that had left")
		}
		if fourth.Wait(gone) == nil {
			t.Fatal("who leaves twice gives two places up")
		}
		for _, turn := range append(ahead, third, fourth) {
			turn.Leave()
		}
		if l.free != atOnce || len(l.waiting) != 0 {
			t.Errorf("%d free, want %d; %d wait", l.free, atOnce, len(l.waiting))
		}
	}
}
