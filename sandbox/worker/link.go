package worker

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// readLimit bounds a frame from the parent, which is trusted: it guards against a garbled length only.
const readLimit = 1 << 30

// defaultFrameBytes is what the parent takes in one frame if it names no other size.
const defaultFrameBytes = 64 << 20

// A link is the worker's end of the pipes. After the first write error every further one returns it.
type link struct {
	in    *bufio.Reader
	out   io.Writer
	frame int64        // the largest frame the parent takes, 0 = defaultFrameBytes
	kept  []wire.Frame // read while another kind was awaited
	err   error
}

// linkLost unwinds the script when the parent is gone: nothing the script does matters any more.
type linkLost struct{ err error }

func (l *link) limit() int64 {
	if l.frame > 0 {
		return l.frame
	}
	return defaultFrameBytes
}

// send writes one frame; a nil head is empty.
func (l *link) send(kind wire.Kind, id uint32, head any, body []byte) error {
	if l.err != nil {
		return l.err
	}
	f := wire.Frame{Kind: kind, ID: id, Body: body}
	if head != nil {
		f.Head, l.err = json.Marshal(head)
	}
	if l.err == nil {
		l.err = wire.Write(l.out, f)
	}
	return l.err
}

// mustSend sends from inside a script.
func (l *link) mustSend(kind wire.Kind, id uint32, head any, body []byte) {
	if err := l.send(kind, id, head, body); err != nil {
		panic(linkLost{err})
	}
}

func (l *link) read() (wire.Frame, error) {
	f, err := wire.Read(l.in, readLimit)
	if err != nil && l.err == nil {
		l.err = err
	}
	return f, err
}

// mustRead takes the next frame from inside a script.
func (l *link) mustRead() wire.Frame {
	if len(l.kept) > 0 {
		f := l.kept[0]
		l.kept = l.kept[1:]
		return f
	}
	f, err := l.read()
	if err != nil {
		panic(linkLost{err})
	}
	return f
}

// await takes the next frame of one kind; the others before it are kept for mustRead.
func (l *link) await(kind wire.Kind) wire.Frame {
	for {
		f, err := l.read()
		if err != nil {
			panic(linkLost{err})
		}
		if f.Kind == kind {
			return f
		}
		l.kept = append(l.kept, f)
	}
}
