package rpc

import (
	"bufio"
	"fmt"
	"io"
)

const (
	defaultMaxMessage = 64 << 20
	maxHeaderBlock    = 8 << 10
	headBytes         = 64 << 10 // of an oversize message, kept to find its id
	hopelessFactor    = 16       // a declared length over so many limits is not worth skipping
	firstAllocation   = 1 << 20  // of a body; more only as its bytes arrive
)

// A FrameReader splits a byte stream into message bodies. It is not for concurrent use.
type FrameReader struct {
	r       *bufio.Reader
	framing Framing
	limit   int64
	started bool
}

// NewFrameReader reads messages of at most limit bytes (0 = 64 MiB). [FramingAuto] is resolved by the first Next.
func NewFrameReader(r io.Reader, framing Framing, limit int64) *FrameReader {
	if limit <= 0 {
		limit = defaultMaxMessage
	}
	if framing == "" {
		framing = FramingAuto
	}
	return &FrameReader{r: bufio.NewReaderSize(r, 64<<10), framing: framing, limit: limit}
}

// Framing returns the framing, FramingAuto if no byte has told it yet.
func (f *FrameReader) Framing() Framing { return f.framing }

// An OversizeError stands for one message over the limit, which has been skipped: the next Next goes on behind it.
type OversizeError struct {
	Size int64  // bytes declared or counted
	Head []byte // the first bytes of the message, at most 64 KiB
}

func (e *OversizeError) Error() string {
	return fmt.Sprintf("message of %d bytes is over the limit", e.Size)
}

// Next returns the next body, which the caller owns. The error is *OversizeError for a skipped message,
// *FramingError if the boundary is lost, io.EOF at the end between messages, else that of the reader
// (io.ErrUnexpectedEOF at the end inside a message).
func (f *FrameReader) Next() ([]byte, error) {
	if !f.started {
		if err := f.start(); err != nil {
			return nil, err
		}
		f.started = true
	}
	if f.framing == FramingContentLength {
		return f.nextCounted()
	}
	return f.nextLine()
}

// start skips a byte order mark and blanks, and tells the framing by the byte behind them.
func (f *FrameReader) start() error {
	const mark = "\xef\xbb\xbf"
	if b, err := f.r.Peek(1); err != nil {
		return err
	} else if b[0] == mark[0] {
		if b, _ := f.r.Peek(len(mark)); string(b) == mark {
			f.r.Discard(len(mark))
		}
	}
	for {
		b, err := f.r.ReadByte()
		switch {
		case err != nil:
			return err
		case b == ' ' || b == '\t' || b == '\r' || b == '\n':
			continue
		}
		if f.framing == FramingAuto {
			f.framing = FramingNDJSON
			if b|0x20 >= 'a' && b|0x20 <= 'z' {
				f.framing = FramingContentLength
			}
		}
		return f.r.UnreadByte()
	}
}
