package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Whatever the bytes and however they arrive: the same frames, none over the limit, and what was read can be written
// and read again.
func FuzzFrames(f *testing.F) {
	for _, c := range frameCases() {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 20
		for _, framing := range []Framing{FramingAuto, FramingContentLength, FramingNDJSON} {
			whole := fmt.Sprintf("%q", frames(bytes.NewReader(data), framing, limit))
			if single := fmt.Sprintf("%q", frames(iotest.OneByteReader(bytes.NewReader(data)), framing, limit)); single != whole {
				t.Errorf("%s: byte by byte %s, whole %s", framing, single, whole)
			}
		}
		r := NewFrameReader(bytes.NewReader(data), FramingAuto, limit)
		for {
			body, err := r.Next()
			var skipped *OversizeError
			switch {
			case errors.As(err, &skipped):
				if skipped.Size <= limit || len(skipped.Head) > headBytes {
					t.Errorf("oversize: %d bytes, %d kept", skipped.Size, len(skipped.Head))
				}
				continue
			case err != nil:
				return
			case len(body) > limit:
				t.Errorf("read %d bytes", len(body))
			}
			if !json.Valid(body) {
				continue // in ndjson only JSON survives
			}
			var again bytes.Buffer
			if err := WriteFrame(&again, r.Framing(), body); err != nil {
				t.Fatal(err)
			}
			got, err := NewFrameReader(&again, r.Framing(), 0).Next()
			if want := oneLine(bytes.TrimSpace(body)); err != nil || !bytes.Equal(oneLine(bytes.TrimSpace(got)), want) {
				t.Errorf("wrote %q, read %q, %v", body, got, err)
			}
		}
	})
}

// Whatever the message: no panic, every line written is a JSON-RPC message, a request is answered under its id byte
// for byte, and the connection lives on.
func FuzzEnvelope(f *testing.F) {
	for _, c := range malformedCases() {
		if len(c.send) < 1<<16 {
			f.Add([]byte(c.send))
		}
	}
	f.Add([]byte(ping))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1.0,"method":"echo","params":{"z":1.0,"a":"\ud800"}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":null}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"p"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if bytes.ContainsRune(body, '\n') || len(bytes.TrimSpace(body)) == 0 {
			return // is more than one message, or none
		}
		var in, out bytes.Buffer
		for _, message := range [][]byte{body, []byte(ping)} {
			if err := WriteFrame(&in, FramingContentLength, message); err != nil {
				t.Fatal(err)
			}
		}
		table := answerPing(nil)
		table["echo"] = echo
		if err := Serve(t.Context(), &in, &out, Options{Framing: FramingContentLength}, fixed(table)); err != nil {
			t.Fatal(err)
		}
		var answers []string
		for r := NewFrameReader(&out, FramingContentLength, 0); ; {
			answer, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || !valid(answer) {
				t.Fatalf("wrote %q, %v", answer, err)
			}
			answers = append(answers, string(answer))
		}
		e, err := parse(body)
		want := 1
		if err != nil || !e.isCall() && !e.seen["result"] && !e.seen["error"] || e.isCall() && (e.id != nil || e.check() != nil) {
			want = 2
		}
		if len(answers) < 1 || len(answers) > 2 || len(answers) != want && e.isCall() {
			t.Errorf("%q: answers %q", body, answers)
		}
		if !strings.Contains(strings.Join(answers, "\n"), pong) {
			t.Errorf("%q: ping is not answered: %q", body, answers)
		}
		if err == nil && e.isCall() && isID(e.id) {
			if id := `{"jsonrpc":"2.0","id":` + string(e.id) + `,`; !strings.Contains(strings.Join(answers, "\n"), id) {
				t.Errorf("%q: no answer under %s: %q", body, id, answers)
			}
		}
	})
}

// idKey never fails and tells apart what is of different kinds.
func FuzzIDKey(f *testing.F) {
	for _, id := range []string{`1`, `1.0`, `-0`, `1e999999999999`, `"a"`, `"\ud800"`, `0.1e-77`} {
		f.Add([]byte(id))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !valid(raw) || !isID(raw) {
			return
		}
		raw = bytes.TrimSpace(raw)
		if key := idKey(raw); key == "" || (key[0] == '"') != (raw[0] == '"') {
			t.Errorf("idKey(%q) = %q", raw, key)
		}
	})
}
