package child

import (
	"strings"
	"sync"
)

// A Tail keeps the end of what is written to it. The zero value is empty.
type Tail struct {
	mu   sync.Mutex
	text []byte // guarded by mu
}

// tailBytes is how much is kept.
const tailBytes = 8 << 10

// Write never fails.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - tailBytes; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

// String is the end, without white space around it; bytes that are not UTF-8 are replaced.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text), "?"))
}
