package hostkit

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unicode/utf8"
)

// A wireLog keeps what passes in one check as JSON lines: {"dir": "order", "event", "in" (to the extension) or "out",
// "ms": since the start, "text": ...}, or "hex" in the place of "text" for what is not UTF-8. nil keeps nothing.
type wireLog struct {
	mu    sync.Mutex
	f     *os.File
	start time.Time
}

// openWireLog makes DIR/ID.jsonl anew.
func openWireLog(dir, id string) (*wireLog, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, id+".jsonl"))
	if err != nil {
		return nil, err
	}
	return &wireLog{f: f, start: time.Now()}, nil
}

func (l *wireLog) add(dir string, b []byte) {
	if l == nil || len(b) == 0 {
		return
	}
	line := map[string]any{"dir": dir, "ms": time.Since(l.start).Milliseconds()}
	if utf8.Valid(b) {
		line["text"] = string(b)
	} else {
		line["hex"] = hex.EncodeToString(b)
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
