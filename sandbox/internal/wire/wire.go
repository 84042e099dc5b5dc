// Package wire is the private protocol between the parent and a worker: frames over the worker's stdin and
// stdout. Both ends are the same binary, so it has no version. The parent treats every frame from a worker as
// hostile.
package wire

import (
	"encoding/binary"
	"errors"
	"io"
)

// A Kind names what a frame means. Parent to worker: Start, Settle, Names. Worker to parent: the others, and Names
// as a question.
type Kind byte

const (
	Ready  Kind = 'r' // worker: locked down and warm; Head is ReadyHead
	Start  Kind = 's' // parent: Head is StartHead, Body the script
	CallTo Kind = 'c' // worker: ID (from 1, each greater than the last), Head is CallHead, Body the arguments (a JSON object)
	Settle Kind = 'a' // parent: ID of the call, Body the value (JSON; empty = null), or Head is SettleHead
	Names  Kind = 'n' // worker: asks; parent: Body is a JSON array of names
	Log    Kind = 'l' // worker: Body is one console line, UTF-8; Head is empty or LogHead
	Warn   Kind = 'w' // worker: Body is one warning for the model, UTF-8
	Done   Kind = 'd' // worker: Head is DoneHead, Body the return value (JSON; empty = undefined). The last frame
	Failed Kind = 'f' // worker: Head is FailedHead. The last frame
)

// A Frame is kind, id, a small JSON head and raw bytes that are never parsed by the framing.
//
//	1 byte kind | 4 bytes id | 4 bytes head length | 4 bytes body length | head | body   (big endian)
type Frame struct {
	Kind Kind
	ID   uint32
	Head []byte
	Body []byte
}

// ErrTooLarge is returned for a frame over the limit; nothing of it is allocated.
var ErrTooLarge = errors.New("wire: frame too large")

const headerSize = 13

// Write writes one frame with a single call of w.Write.
func Write(w io.Writer, f Frame) error {
	buf := make([]byte, headerSize, headerSize+len(f.Head)+len(f.Body))
	buf[0] = byte(f.Kind)
	binary.BigEndian.PutUint32(buf[1:], f.ID)
	binary.BigEndian.PutUint32(buf[5:], uint32(len(f.Head)))
	binary.BigEndian.PutUint32(buf[9:], uint32(len(f.Body)))
	buf = append(buf, f.Head...)
	buf = append(buf, f.Body...)
	_, err := w.Write(buf)
	return err
}

// Read reads one frame whose head and body together have at most limit bytes. The error is io.EOF between two
// frames, io.ErrUnexpectedEOF inside one, and ErrTooLarge for a frame over the limit.
func Read(r io.Reader, limit int64) (Frame, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return Frame{}, err
	}
	head := int64(binary.BigEndian.Uint32(header[5:]))
	body := int64(binary.BigEndian.Uint32(header[9:]))
	if head+body > limit {
		return Frame{}, ErrTooLarge
	}
	f := Frame{Kind: Kind(header[0]), ID: binary.BigEndian.Uint32(header[1:])}
	buf, err := readN(r, head+body)
	if err != nil {
		return Frame{}, err
	}
	f.Head, f.Body = buf[:head:head], buf[head:]
	return f, nil
}

// readN reads n bytes into memory that grows with what really comes, so that a header alone makes nobody
// allocate.
func readN(r io.Reader, n int64) ([]byte, error) {
	buf := make([]byte, min(n, 64<<10))
	for have := int64(0); ; {
		if _, err := io.ReadFull(r, buf[have:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if have = int64(len(buf)); have == n {
			return buf, nil
		}
		grown := make([]byte, min(n, 4*have))
		copy(grown, buf)
		buf = grown
	}
}
