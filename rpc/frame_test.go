package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// frames reads all of text and describes what came.
func frames(r io.Reader, framing Framing, limit int64) (got []string) {
	f := NewFrameReader(r, framing, limit)
	for {
		body, err := f.Next()
		var skipped *OversizeError
		var lost *FramingError
		switch {
		case err == nil:
			got = append(got, string(body))
		case errors.As(err, &skipped):
			got = append(got, fmt.Sprintf("oversize %d %s", skipped.Size, skipped.Head))
		case errors.As(err, &lost):
			return append(got, "lost: "+lost.Reason)
		default:
			return append(got, err.Error())
		}
	}
}

type frameCase struct {
	name, text string
	want       []string
}

// frameCases are read with a limit of 20 bytes.
func frameCases() []frameCase {
	long := strings.Repeat("x", maxHeaderBlock)
	return []frameCase{
		{"empty", "", []string{"EOF"}},
		{"blank", " \r\n\t\n", []string{"EOF"}},
		{"mark alone", "\xef\xbb\xbf", []string{"EOF"}},
		{"half a mark", "\xef\xbb", []string{"\xef\xbb", "EOF"}},

		{"counted", "Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]", []string{"{}", "[1]", "EOF"}},
		{"counted behind mark and blanks", "\xef\xbb\xbf \r\n\tContent-Length: 2\r\n\r\n{}", []string{"{}", "EOF"}},
		{"bare newlines", "Content-Length: 2\n\n{}", []string{"{}", "EOF"}},
		{"key in any case", "cOnTeNt-lEnGtH: 2\r\n\r\n{}", []string{"{}", "EOF"}},
		{"value without blank", "Content-Length:2\r\n\r\n{}", []string{"{}", "EOF"}},
		{"value padded", "Content-Length : \t 2 \t\r\n\r\n{}", []string{"{}", "EOF"}},
		{"leading zeros", "Content-Length: 0002\r\n\r\n{}", []string{"{}", "EOF"}},
		{"other headers", "Content-Type: a:b\r\nContent-Length: 2\r\nX:\r\n\r\n{}", []string{"{}", "EOF"}},
		{"other header first, lower case", "x-a: 1\r\nContent-Length: 2\r\n\r\n{}", []string{"{}", "EOF"}},
		{"length 0", "Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}", []string{"", "{}", "EOF"}},
		{"lengths are bytes", "Content-Length: 5\r\n\r\n\"片\"", []string{`"片"`, "EOF"}},
		{"body with newlines", "Content-Length: 4\r\n\r\n{\r\n}", []string{"{\r\n}", "EOF"}},
		{"exactly the limit", "Content-Length: 20\r\n\r\n" + strings.Repeat("y", 20), []string{strings.Repeat("y", 20), "EOF"}},
		{"over the limit", "Content-Length: 21\r\n\r\n" + strings.Repeat("y", 21) + "Content-Length: 2\r\n\r\n{}",
			[]string{"oversize 21 " + strings.Repeat("y", 21), "{}", "EOF"}},
		{"end in an oversize", "Content-Length: 21\r\n\r\nyy", []string{"unexpected EOF"}},
		{"hopeless", "Content-Length: 321\r\n\r\n", []string{"lost: declared length 321 is over 16 times the limit"}},
		{"barely not hopeless", "Content-Length: 320\r\n\r\n", []string{"unexpected EOF"}},
		{"end in a body", "Content-Length: 3\r\n\r\n{}", []string{"unexpected EOF"}},
		{"end in a header", "Content-Len", []string{"unexpected EOF"}},
		{"end behind a header", "Content-Length: 3\r\n", []string{"unexpected EOF"}},
		{"no length", "Content-Type: x\r\n\r\n{}", []string{"lost: header block without Content-Length"}},
		{"no header", "Content-Length: 2\r\n\r\n{}\r\n\r\n", []string{"{}", "lost: header block without Content-Length"}},
		{"two lengths", "Content-Length: 2\r\ncontent-length: 2\r\n\r\n{}", []string{"lost: two Content-Length headers"}},
		{"negative", "Content-Length: -2\r\n\r\n{}", []string{"lost: Content-Length is not a number of bytes"}},
		{"signed", "Content-Length: +2\r\n\r\n{}", []string{"lost: Content-Length is not a number of bytes"}},
		{"fraction", "Content-Length: 2.0\r\n\r\n{}", []string{"lost: Content-Length is not a number of bytes"}},
		{"nothing", "Content-Length:\r\n\r\n{}", []string{"lost: Content-Length is not a number of bytes"}},
		{"over 63 bits", "Content-Length: 9223372036854775808\r\n\r\n{}", []string{"lost: Content-Length is not a number of bytes"}},
		{"no colon", "GET / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", []string{"lost: header line without a colon"}},
		{"endless header", long + "x", []string{"lost: header block over 8 KiB"}},
		{"many headers", strings.Repeat("a: b\r\n", 1500), []string{"lost: header block over 8 KiB"}},
		{"header block of 8 KiB", "a: " + long[:maxHeaderBlock-5-21] + "\r\nContent-Length: 2\r\n\r\n{}", []string{"{}", "EOF"}},
		{"header block over 8 KiB", "a: " + long[:maxHeaderBlock-5-20] + "\r\nContent-Length: 2\r\n\r\n{}", []string{"lost: header block over 8 KiB"}},

		{"lines", "{}\n[1]\n", []string{"{}", "[1]", "EOF"}},
		{"lines behind mark and blanks", "\xef\xbb\xbf\n \t{}\n", []string{"{}", "EOF"}},
		{"lines with returns", "{}\r\n[1]\r\n", []string{"{}", "[1]", "EOF"}},
		{"blank lines", "{}\n\n \t\r\n\n[1]\n\n", []string{"{}", "[1]", "EOF"}},
		{"last line without newline", "{}\n[1]", []string{"{}", "[1]", "EOF"}},
		{"a letter later is no header", "1\nContent\n", []string{"1", "Content", "EOF"}},
		{"line of exactly the limit", strings.Repeat("7", 20) + "\n{}", []string{strings.Repeat("7", 20), "{}", "EOF"}},
		{"line over the limit", strings.Repeat("7", 21) + "\n{}\n", []string{"oversize 21 " + strings.Repeat("7", 21), "{}", "EOF"}},
		{"last line over the limit", strings.Repeat("7", 21), []string{"oversize 21 " + strings.Repeat("7", 21), "EOF"}},
		{"last line of exactly the limit", strings.Repeat("7", 20), []string{strings.Repeat("7", 20), "EOF"}},
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	for _, c := range frameCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for name, r := range map[string]io.Reader{
				"whole":    strings.NewReader(c.text),
				"bytes":    iotest.OneByteReader(strings.NewReader(c.text)),
				"data+EOF": iotest.DataErrReader(strings.NewReader(c.text)),
			} {
				if got := frames(r, FramingAuto, 20); fmt.Sprint(got) != fmt.Sprint(c.want) {
					t.Errorf("%s: %.80q\ngot  %.200q\nwant %.200q", name, c.text, got, c.want)
				}
			}
		})
	}
}

func TestFrames_ForcedFraming(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		framing    Framing
		text, want string
	}{
		{FramingNDJSON, "true\n{}\n", "[true {} EOF]"},
		{FramingContentLength, "{}\n", "[lost: header line without a colon]"},
		{FramingContentLength, "\xef\xbb\xbf\r\nContent-Length: 2\n\n{}", "[{} EOF]"},
	} {
		if got := fmt.Sprint(frames(strings.NewReader(c.text), c.framing, 0)); got != c.want {
			t.Errorf("%s %q: got %s, want %s", c.framing, c.text, got, c.want)
		}
	}
}

// A header block over the limit is noticed at once, not when the peer sends more.
func TestFrames_EndlessHeaderDoesNotWait(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer r.Close()
	go io.WriteString(w, strings.Repeat("x", maxHeaderBlock+1))
	if got := fmt.Sprint(frames(r, FramingAuto, 0)); got != "[lost: header block over 8 KiB]" {
		t.Errorf("got %s", got)
	}
}

// endless gives n bytes and counts nothing: what a reader keeps of them shows in its allocations.
func endless(n int64) io.Reader { return io.LimitReader(filler{}, n) }

type filler struct{}

func (filler) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '7'
	}
	return len(p), nil
}

// allocated returns the bytes ever allocated. The test that uses it is not parallel.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestFrames_OversizeIsSkippedInBoundedMemory(t *testing.T) {
	const limit, size = 1 << 20, 15 << 20
	for name, text := range map[string]io.Reader{
		"counted": io.MultiReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", size)), endless(size)),
		"line":    io.MultiReader(endless(size), strings.NewReader("\n")),
	} {
		f := NewFrameReader(text, FramingAuto, limit)
		before := allocated()
		_, err := f.Next()
		var skipped *OversizeError
		if !errors.As(err, &skipped) || skipped.Size != size || len(skipped.Head) != headBytes {
			t.Errorf("%s: %v", name, err)
		}
		if used := allocated() - before; used > 8*limit {
			t.Errorf("%s: reading allocated %d bytes", name, used)
		}
	}
}

// A length that is only declared costs nothing.
func TestFrames_DeclaredLengthIsNotAllocated(t *testing.T) {
	f := NewFrameReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", 64<<20)), FramingAuto, 0)
	before := allocated()
	if _, err := f.Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
	if used := allocated() - before; used > 4<<20 {
		t.Errorf("reading allocated %d bytes", used)
	}
}

func TestWriteFrame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		framing    Framing
		body, want string
	}{
		{FramingContentLength, "\"片\"", "Content-Length: 5\r\n\r\n\"片\""},
		{FramingContentLength, "{\n}", "Content-Length: 3\r\n\r\n{\n}"},
		{FramingNDJSON, "{\r\n \"a\\n\": 1\n}", "{   \"a\\n\": 1 }\n"},
	} {
		var b bytes.Buffer
		if err := WriteFrame(&b, c.framing, []byte(c.body)); err != nil || b.String() != c.want {
			t.Errorf("%s %q: got %q, %v, want %q", c.framing, c.body, b.String(), err, c.want)
		}
	}
}
