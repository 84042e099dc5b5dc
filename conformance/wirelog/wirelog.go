// Package wirelog keeps what passes in one check, for a person who wants to see it afterwards.
package wirelog

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A Log is a file of lines. It may be used from several goroutines; nil keeps nothing.
type Log struct {
	start time.Time

	mu sync.Mutex
	f  *os.File // guarded by mu
}

// A Line is one piece of what passed: Text, or Hex in its place for what is not UTF-8.
type Line struct {
	Dir  string  `json:"dir"` // "in" (to the extension) or "out"; where a host is checked "order" or "event" too
	Ms   int64   `json:"ms"`  // since the log was opened
	Text *string `json:"text,omitempty"`
	Hex  *string `json:"hex,omitempty"`
}

// Open makes DIR/NAME.jsonl anew; a variant in brackets becomes .VARIANT. dir "" gives nil.
func Open(dir, name string) (*Log, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	safe := strings.NewReplacer("/", "-", " [", ".", "]", "").Replace(name)
	f, err := os.Create(filepath.Join(dir, safe+".jsonl"))
	if err != nil {
		return nil, err
	}
	return &Log{f: f, start: time.Now()}, nil
}

// Add writes a line, unless b is empty. A line that cannot be written is lost.
func (l *Log) Add(dir string, b []byte) {
	if l == nil || len(b) == 0 {
		return
	}
	line := Line{Dir: dir, Ms: time.Since(l.start).Milliseconds()}
	if s := string(b); utf8.ValidString(s) {
		line.Text = &s
	} else {
		s = hex.EncodeToString(b)
		line.Hex = &s
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := json.NewEncoder(l.f)
	e.SetEscapeHTML(false)
	_ = e.Encode(line)
}

// Close closes the file.
func (l *Log) Close() {
	if l != nil {
		l.f.Close()
	}
}
