package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// nextCounted reads a header block and the bytes it declares.
func (f *FrameReader) nextCounted() ([]byte, error) {
	n, err := f.header()
	if err != nil {
		return nil, err
	}
	if n <= f.limit {
		// MinRead more, so that ReadFrom sees the end without growing.
		body := bytes.NewBuffer(make([]byte, 0, min(n, firstAllocation)+bytes.MinRead))
		_, err := io.CopyN(body, f.r, n)
		return body.Bytes(), midMessage(err)
	}
	if (n-1)/hopelessFactor >= f.limit { // n > hopelessFactor*limit, which may overflow
		return nil, &FramingError{fmt.Sprintf("declared length %d is over %d times the limit", n, hopelessFactor)}
	}
	head := make([]byte, min(n, headBytes))
	if _, err := io.ReadFull(f.r, head); err != nil {
		return nil, midMessage(err)
	}
	if _, err := io.CopyN(io.Discard, f.r, n-int64(len(head))); err != nil {
		return nil, midMessage(err)
	}
	return nil, &OversizeError{Size: n, Head: head}
}

func midMessage(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// header returns the length that one header block declares.
func (f *FrameReader) header() (int64, error) {
	length, room := int64(-1), maxHeaderBlock
	for {
		line, err := f.headerLine(&room)
		if err != nil {
			if room < maxHeaderBlock {
				err = midMessage(err)
			}
			return 0, err
		}
		if len(line) == 0 {
			break
		}
		key, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return 0, &FramingError{"header line without a colon"}
		}
		if !bytes.EqualFold(bytes.TrimSpace(key), []byte("Content-Length")) {
			continue
		}
		if length >= 0 {
			return 0, &FramingError{"two Content-Length headers"}
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 63)
		if err != nil {
			return 0, &FramingError{"Content-Length is not a number of bytes"}
		}
		length = int64(n)
	}
	if length < 0 {
		return 0, &FramingError{"header block without Content-Length"}
	}
	return length, nil
}

// headerLine reads byte by byte, so that a block over the limit is noticed as soon as it is.
func (f *FrameReader) headerLine(room *int) ([]byte, error) {
	var line []byte
	for {
		b, err := f.r.ReadByte()
		if err != nil {
			return nil, err
		}
		if *room--; *room < 0 {
			return nil, &FramingError{"header block over 8 KiB"}
		}
		if b == '\n' {
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
		line = append(line, b)
	}
}

// nextLine returns the next line that is not blank; the last one needs no newline.
func (f *FrameReader) nextLine() ([]byte, error) {
	for {
		line, size, err := f.line()
		atEnd := errors.Is(err, io.EOF)
		if err != nil && !atEnd {
			return nil, err
		}
		if size > f.limit {
			return nil, &OversizeError{Size: size, Head: line}
		}
		if line = bytes.Trim(line, " \t\r\n"); len(line) > 0 {
			return line, nil
		}
		if atEnd {
			return nil, io.EOF
		}
	}
}

// line reads up to a newline or the end. size counts the bytes before the newline; of a line over the limit only
// the head is kept.
func (f *FrameReader) line() (line []byte, size int64, err error) {
	for {
		chunk, err := f.r.ReadSlice('\n')
		if err == nil {
			chunk = chunk[:len(chunk)-1]
		}
		if size += int64(len(chunk)); size <= f.limit {
			line = append(line, chunk...)
		} else if room := headBytes - len(line); room > 0 {
			line = append(line, chunk[:min(len(chunk), room)]...)
		} else if room < 0 {
			line = bytes.Clone(line[:headBytes]) // lets the rest go
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}
