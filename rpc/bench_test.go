package rpc

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// duplex connects two ends that serve the tables.
func duplex(b *testing.B, table func(*Conn) Table) *Conn {
	aR, aW := io.Pipe()
	bR, bW := io.Pipe()
	ctx, cancel := context.WithCancel(b.Context())
	b.Cleanup(cancel)
	conns := make(chan *Conn, 1)
	go Serve(ctx, aR, bW, Options{}, table)
	go Serve(ctx, bR, aW, Options{Framing: FramingContentLength}, func(c *Conn) Table {
		conns <- c
		return nil
	})
	return <-conns
}

// BenchmarkCall is one round trip with params and a result of the given size, both of one string.
func BenchmarkCall(b *testing.B) {
	for name, size := range map[string]int{"100B": 100, "100KB": 100_000, "10MB": 10_000_000} {
		b.Run(name, func(b *testing.B) {
			c := duplex(b, fixed(Table{"echo": echo}))
			params := json.RawMessage(`"` + strings.Repeat("x", size) + `"`)
			b.SetBytes(2 * int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Call(b.Context(), "echo", params); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkParse is what the read loop does with a large message of many small values.
func BenchmarkParse(b *testing.B) {
	body := []byte(`{"jsonrpc":"2.0","id":1,"result":[` + strings.Repeat(`{"name":"value","n":1.5,"list":[true,null]},`, 20_000) + `0]}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(body); err != nil {
			b.Fatal(err)
		}
	}
}
