package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/exec-ext/exec-ext/conformance"
)

const (
	fuzzLimit = 4 << 10  // of a message
	seedLimit = 64 << 10 // of a vector's bytes
)

// seeds are what the conformance vectors write, framed in either way.
func seeds(f *testing.F) [][]byte {
	f.Helper()
	vectors, err := conformance.Load()
	if err != nil {
		f.Fatal(err)
	}
	var all [][]byte
	for _, framing := range []Framing{FramingNDJSON, FramingContentLength} {
		for _, v := range vectors {
			some, err := v.Writes(func(body []byte) []byte {
				var b bytes.Buffer
				if err := WriteFrame(&b, framing, body); err != nil {
					f.Fatal(err)
				}
				return b.Bytes()
			}, seedLimit)
			if err != nil {
				f.Fatal(err)
			}
			all = append(all, some...)
		}
	}
	if len(all) == 0 {
		f.Fatal("the vectors hold no frames")
	}
	return all
}

// The same bytes give the same messages however they arrive, none is over the limit, and what was read comes back when
// it is written.
func FuzzFrames(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, framing, end := readAll(t, bytes.NewReader(in), FramingAuto)
		pieces, _, endPieces := readAll(t, iotest.OneByteReader(bytes.NewReader(in)), FramingAuto)
		if !equalBodies(whole, pieces) || (end == nil) != (endPieces == nil) {
			t.Fatalf("at once %q (%v), byte by byte %q (%v)", whole, end, pieces, endPieces)
		}
		var again bytes.Buffer
		for _, body := range whole {
			if len(body) > fuzzLimit {
				t.Fatalf("a message of %d bytes", len(body))
			}
			if err := WriteFrame(&again, framing, body); err != nil {
				t.Fatal(err)
			}
		}
		if framing == FramingNDJSON {
			whole = onOneLine(whole) // a carriage return inside a line becomes a blank
		}
		if back, _, err := readAll(t, &again, framing); err != nil || !equalBodies(whole, back) {
			t.Fatalf("wrote %q, read %q (%v)", whole, back, err)
		}
	})
}

// readAll reads to the end; the error is that of a lost boundary or an end inside a message.
func readAll(t *testing.T, r io.Reader, framing Framing) ([][]byte, Framing, error) {
	t.Helper()
	frames := NewFrameReader(r, framing, fuzzLimit)
	var all [][]byte
	for {
		body, err := frames.Next()
		var oversize *OversizeError
		switch {
		case errors.As(err, &oversize):
			if oversize.Size <= fuzzLimit || len(oversize.Head) > headBytes {
				t.Fatalf("oversize %d, head of %d", oversize.Size, len(oversize.Head))
			}
		case errors.Is(err, io.EOF):
			return all, frames.Framing(), nil
		case err != nil:
			return all, frames.Framing(), err
		default:
			all = append(all, body)
		}
	}
}

func equalBodies(a, b [][]byte) bool {
	return len(a) == len(b) && bytes.Equal(bytes.Join(a, []byte{0}), bytes.Join(b, []byte{0}))
}

func onOneLine(bodies [][]byte) [][]byte {
	out := make([][]byte, len(bodies))
	for i, b := range bodies {
		out[i] = oneLine(b)
	}
	return out
}

// What is taken as a message is JSON to others too, and its members are their bytes; what is not taken says why.
func FuzzEnvelope(f *testing.F) {
	vectors, err := conformance.Load()
	if err != nil {
		f.Fatal(err)
	}
	found := 0
	for _, v := range vectors {
		for _, s := range v.Strings() {
			if strings.HasPrefix(s, "{") || v.Area == "envelope" {
				f.Add([]byte(s))
				found++
			}
		}
	}
	if found == 0 {
		f.Fatal("the vectors hold no messages")
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := parse(body)
		if err != nil {
			var d *defect
			if !errors.As(err, &d) || d.code != CodeParse && d.code != CodeInvalidRequest || d.reason == "" {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		var all map[string]json.RawMessage
		if err := json.Unmarshal(body, &all); err != nil {
			t.Fatalf("%q was taken: %v", body, err)
		}
		for name, got := range map[string]json.RawMessage{"id": e.id, "params": e.params, "result": e.result, "error": e.fault} {
			if !bytes.Equal(got, all[name]) {
				t.Fatalf("%s of %q: %q, want %q", name, body, got, all[name])
			}
		}
	})
}
