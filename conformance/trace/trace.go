// Package trace keeps what passes between a host and its extension in a file, for a bug report, and plays it again
// against a build.
//
// A trace is JSON lines. A session begins with a head: {"trace": 1, "version", "time", "redacted"}. Each message is
// {"ms": since the head, "dir": "in" (to the extension) or "out", "message": as it was sent}, with "text" in the place of
// "message" for what is no JSON ("bytes" if redacted). {"ms", "lost": N} says that N messages are missing.
package trace

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

// Bounds on what waits to be written; beyond them messages are lost, not the host's time.
const (
	maxWaiting      = 4096
	maxWaitingBytes = 128 << 20
)

// A Recorder writes one session. Its methods may be called from any goroutine.
type Recorder struct {
	f      *os.File
	redact bool
	start  time.Time
	done   chan struct{} // closed when everything is written
	wake   chan struct{} // holds one token while something waits

	mu      sync.Mutex
	waiting []entry // guarded by mu
	bytes   int     // of them; guarded by mu
	lost    int     // since the last line; guarded by mu
	closed  bool    // guarded by mu
}

type entry struct {
	ms    int64
	dir   string
	frame []byte // nil for what was lost
	lost  int
}

// A head is the first line of a session.
type head struct {
	Trace    int    `json:"trace"`
	Version  string `json:"version"`
	Time     string `json:"time"`
	Redacted bool   `json:"redacted"`
}

// Open adds a session to the file at path, which is made if need be and can be read by its owner only. With redact
// contents are replaced by their lengths. version is that of the program that is recorded.
func Open(path, version string, redact bool) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("trace file: %w", err)
	}
	if err := f.Chmod(0o600); err != nil {
		f.Close()
		return nil, fmt.Errorf("trace file: %w", err)
	}
	r := &Recorder{f: f, redact: redact, start: time.Now(), done: make(chan struct{}), wake: make(chan struct{}, 1)}
	if err := r.write(head{1, version, r.start.UTC().Format(time.RFC3339), redact}); err != nil {
		f.Close()
		return nil, fmt.Errorf("trace file: %w", err)
	}
	go r.run()
	return r, nil
}

// Trace notes one message; dir is in or out. It keeps a copy and never waits for the file: what comes faster than it
// can be written is lost, and the file says so.
func (r *Recorder) Trace(dir string, frame []byte) {
	e := entry{ms: time.Since(r.start).Milliseconds(), dir: dir, frame: append([]byte{}, frame...)}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if len(r.waiting) >= maxWaiting || r.bytes+len(frame) > maxWaitingBytes {
		r.lost++
		return
	}
	r.noteLoss(e.ms)
	r.waiting, r.bytes = append(r.waiting, e), r.bytes+len(frame)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// noteLoss puts what was lost in its place. mu is held.
func (r *Recorder) noteLoss(ms int64) {
	if r.lost > 0 {
		r.waiting = append(r.waiting, entry{ms: ms, lost: r.lost})
		r.lost = 0
	}
}

// closePatience is how long Close waits for a file that takes nothing.
const closePatience = 2 * time.Second

// Close writes what waits and closes the file. What comes later is not noted.
func (r *Recorder) Close() {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		r.noteLoss(time.Since(r.start).Milliseconds())
		close(r.wake)
	}
	r.mu.Unlock()
	select {
	case <-r.done:
	case <-time.After(closePatience):
	}
	r.f.Close()
}

// run writes until the recorder is closed. A file that cannot be written any more gets nothing more.
func (r *Recorder) run() {
	defer close(r.done)
	broken := false
	for open := true; open; {
		_, open = <-r.wake
		r.mu.Lock()
		batch := r.waiting
		r.waiting, r.bytes = nil, 0
		r.mu.Unlock()
		for _, e := range batch {
			if !broken && r.write(r.line(e)) != nil {
				broken = true
			}
		}
	}
}

func (r *Recorder) line(e entry) any {
	line := map[string]any{"ms": e.ms}
	switch {
	case e.frame == nil:
		line["lost"] = e.lost
		return line
	case json.Valid(e.frame) && r.redact:
		line["message"] = redact(e.frame)
	case json.Valid(e.frame):
		line["message"] = json.RawMessage(e.frame)
	case r.redact:
		line["bytes"] = len(e.frame)
	default:
		line["text"] = string(e.frame)
	}
	line["dir"] = e.dir
	return line
}

func (r *Recorder) write(line any) error {
	e := json.NewEncoder(r.f)
	e.SetEscapeHTML(false)
	return e.Encode(line)
}
