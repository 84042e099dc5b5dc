package worker

import (
	"testing"

	"pgregory.net/rapid"
)

func TestVLQ_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.IntRange(-1<<20, 1<<20)).Draw(t, "values")
		var raw []byte
		for _, v := range want {
			raw = appendVLQ(raw, v)
		}
		rest := string(raw)
		for _, v := range want {
			var got int
			if got, rest = readVLQ(rest); got != v {
				t.Fatalf("got %d, want %d", got, v)
			}
		}
	})
}
