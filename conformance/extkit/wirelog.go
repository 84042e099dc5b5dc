package extkit

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

// A wireLog keeps every byte of one connection as JSON lines: {"dir": "in" (to the extension) or "out", "ms": since
// the start, "text": ...}, or "hex" in the place of "text" for what is not UTF-8. nil keeps nothing.
type wireLog struct {
	mu    sync.Mutex
	f     *os.File
	start time.Time
}

// openWireLog makes DIR/NAME.jsonl anew.
func openWireLog(dir, name string) (*wireLog, error) {
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
	return &wireLog{f: f, start: time.Now()}, nil
}

type wireLine struct {
	Dir  string  `json:"dir"`
	Ms   int64   `json:"ms"`
	Text *string `json:"text,omitempty"`
	Hex  *string `json:"hex,omitempty"`
}

func (l *wireLog) add(dir string, b []byte) {
	if l == nil || len(b) == 0 {
		return
	}
	line := wireLine{Dir: dir, Ms: time.Since(l.start).Milliseconds()}
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

func (l *wireLog) close() {
	if l != nil {
		l.f.Close()
	}
}
