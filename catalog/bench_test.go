package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
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

// BenchmarkIndex is the first search of a pool, with what it needs before it can look: the index where it finds
// something, and the names that come near as well where it finds nothing.
func BenchmarkIndex(b *testing.B) {
	for _, n := range sizes {
		tools := generated(n, 1)
		for _, q := range []struct{ name, query string }{{"found", "invoice"}, {"nothing", "zzz"}} {
			input := json.RawMessage(fmt.Sprintf(`{"query":%q}`, q.query))
			b.Run(fmt.Sprint(n, "/", q.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					p, _ := NewPool(Snapshot{Tools: tools})
					p.Render(defaults)
					b.StartTimer()
					hits, _, err := p.Search(input, defaults)
					if err != nil || len(hits) > 0 != (q.name == "found") {
						b.Fatal(len(hits), err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/op")
			})
		}
	}
}

// BenchmarkSearch is one query over an indexed pool: words that many tools have, words that none has and that come near
// to many names, very short ones, very many, and all of that with and without a limit.
func BenchmarkSearch(b *testing.B) {
	tools := generated(10_000, 1)
	p, _ := NewPool(Snapshot{Tools: tools})
	p.Render(defaults)
	for _, q := range []struct{ name, query string }{
		{"issue_deploy", "issue_deploy"}, {"create_invoice", "create invoice"}, {"zzz", "zzz"},
		{"calendar_event_list", "calendar event list"}, {"e", "e"}, {"id", "id"}, {"get", "get"}, {"accent", "é"}, {"chinese", "天气"},
		{"everything", ""}, {"five_words", "create update delete list search"}, {"thirty_words", strings.Join(vocabulary[:30], " ")},
		{"near_names", "mcp__srv03__create_invoice_99999"}, {"no_near_names", "qwertyuiopasdfghjklzxc"},
	} {
		for _, limit := range []string{"", `,"limit":10`} {
			text, _ := json.Marshal(q.query)
			input := json.RawMessage(fmt.Sprintf(`{"query":%s%s}`, text, limit))
			b.Run(q.name+strings.NewReplacer(",", "/", `"`, "", ":", "_").Replace(limit), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := p.Search(input, defaults); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func bytesOf(tools []json.RawMessage) (n int64) {
	for _, t := range tools {
		n += int64(len(t))
	}
	return n
}
