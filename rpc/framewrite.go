package rpc

import (
	"bytes"
	"io"
	"strconv"
)

// WriteFrame writes body, one JSON value, as one message. [FramingAuto] is written as ndjson. In ndjson line breaks
// between the tokens become blanks.
func WriteFrame(w io.Writer, framing Framing, body []byte) error {
	return writeParts(w, framing, [][]byte{body})
}

// writeParts writes the concatenation of parts as one message without joining them first: results may be large.
func writeParts(w io.Writer, framing Framing, parts [][]byte) error {
	if framing == FramingContentLength {
		n := 0
		for _, p := range parts {
			n += len(p)
		}
		if _, err := io.WriteString(w, "Content-Length: "+strconv.Itoa(n)+"\r\n\r\n"); err != nil {
			return err
		}
	}
	for _, p := range parts {
		if framing != FramingContentLength {
			p = oneLine(p)
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	if framing != FramingContentLength {
		_, err := io.WriteString(w, "\n")
		return err
	}
	return nil
}

// oneLine replaces line breaks, which JSON has outside of strings only.
func oneLine(p []byte) []byte {
	if bytes.IndexByte(p, '\n') < 0 && bytes.IndexByte(p, '\r') < 0 {
		return p
	}
	p = bytes.ReplaceAll(p, []byte("\n"), []byte(" "))
	return bytes.ReplaceAll(p, []byte("\r"), []byte(" "))
}
