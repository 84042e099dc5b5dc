package catalog

import (
	"encoding/json"
	"fmt"
	"testing"
)

var sizes = []int{100, 1_000, 10_000}

// BenchmarkCold is from raw JSON to the catalog's text, nothing kept from before.
func BenchmarkCold(b *testing.B) {
	for _, n := range sizes {
		tools := generated(n, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(bytesOf(tools))
			for b.Loop() {
				p, _ := NewPool(Snapshot{Tools: tools})
				p.Render(everything)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/op")
		})
	}
}

// BenchmarkChange renders a pool in which one field of one tool differs from the pool before.
func BenchmarkChange(b *testing.B) {
	for _, n := range sizes {
		tools := generated(n, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			last, _ := NewPool(Snapshot{Tools: tools})
			last.Render(defaults)
			i := 0
			for b.Loop() {
				i++
				tools[n/2] = json.RawMessage(toolJSON("mcp__srv00__changed", fmt.Sprint("version ", i), `{"type":"object"}`))
				last, _ = NewPool(Snapshot{Tools: tools, Reuse: last})
				last.Render(defaults)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/op")
		})
	}
}

// BenchmarkIndex is what the first search of a pool pays before it can look.
func BenchmarkIndex(b *testing.B) {
	for _, n := range sizes {
		tools := generated(n, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				p, _ := NewPool(Snapshot{Tools: tools})
				p.Render(defaults)
				b.StartTimer()
				p.find(request{words: []string{"zzz"}, anyone: true}, defaults)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/op")
		})
	}
}

// BenchmarkSearch is one query over an indexed pool.
func BenchmarkSearch(b *testing.B) {
	tools := generated(10_000, 1)
	p, _ := NewPool(Snapshot{Tools: tools})
	p.Render(defaults)
	for _, q := range []string{"issue_deploy", "create invoice", "zzz", "calendar event list", "e"} {
		input, _ := json.Marshal(map[string]any{"query": q, "limit": 10})
		b.Run(q, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := p.Search(input, defaults); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func bytesOf(tools []json.RawMessage) (n int64) {
	for _, t := range tools {
		n += int64(len(t))
	}
	return n
}
