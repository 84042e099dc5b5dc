package wire_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

func TestFramesSurviveTheTrip(t *testing.T) {
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // grows the buffer more than once
	frames := []wire.Frame{
		{Kind: wire.Ready, Head: []byte(`{}`), Body: []byte{}},
		{Kind: wire.CallTo, ID: 1<<32 - 1, Head: []byte(`{"name":"x"}`), Body: []byte(`{"a":1}`)},
		{Kind: wire.Log, Head: []byte{}, Body: big},
		{Kind: wire.Done, Head: []byte{}, Body: []byte{}},
	}
	var pipe bytes.Buffer
	for _, f := range frames {
		if err := wire.Write(&pipe, f); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range frames {
		got, err := wire.Read(&pipe, 2<<20)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("frame %c: (-want +got)\n%s", want.Kind, diff)
		}
	}
	if _, err := wire.Read(&pipe, 100); err != io.EOF {
		t.Errorf("after the last frame: %v, want io.EOF", err)
	}
}

func TestReadRefuses(t *testing.T) {
	whole := encode(t, wire.Frame{Kind: wire.Log, Head: []byte("head"), Body: []byte("body")})
	huge := append([]byte{'l', 0, 0, 0, 0}, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	for _, tc := range []struct {
		name  string
		in    []byte
		limit int64
		want  error
	}{
		{"a header cut short", whole[:5], 100, io.ErrUnexpectedEOF},
		{"a body cut short", whole[:len(whole)-1], 100, io.ErrUnexpectedEOF},
		{"a header with nothing after it", whole[:13], 100, io.ErrUnexpectedEOF},
		{"head and body one byte over the limit", whole, 7, wire.ErrTooLarge},
		{"lengths that overflow 32 bits together", huge, 1 << 30, wire.ErrTooLarge},
	} {
		if _, err := wire.Read(bytes.NewReader(tc.in), tc.limit); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
	if _, err := wire.Read(bytes.NewReader(whole), 8); err != nil {
		t.Errorf("exactly at the limit: %v", err)
	}
}

func TestAHeaderAloneAllocatesLittle(t *testing.T) {
	claim := []byte{'l', 0, 0, 0, 0, 0, 0, 0, 0, 0x3f, 0xff, 0xff, 0xff} // a body of 1 GiB that never comes
	per := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = wire.Read(bytes.NewReader(claim), 1<<30)
		}
	}).AllocedBytesPerOp()
	if per > 1<<20 {
		t.Errorf("a header without its body allocated %d bytes", per)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{'l', 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 'h', 'b'})
	f.Add([]byte{'d', 0, 0, 0, 9, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		const limit = 1 << 10
		r := bytes.NewReader(in)
		for {
			before := r.Len()
			frame, err := wire.Read(r, limit)
			if err != nil {
				return
			}
			used := in[len(in)-before : len(in)-r.Len()]
			if len(frame.Head)+len(frame.Body) > limit || !bytes.Equal(encode(t, frame), used) {
				t.Fatalf("%q was read as %+v", used, frame)
			}
		}
	})
}

func encode(t *testing.T, f wire.Frame) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := wire.Write(&buf, f); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}
