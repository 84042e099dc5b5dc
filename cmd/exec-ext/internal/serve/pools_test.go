package serve

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/hostapi"
)

// keep has the source see a pool with one tool of about size bytes.
func keep(s *poolSource, t *testing.T, session string, size int) {
	t.Helper()
	tool := fmt.Sprintf(`{"name":"mcp__a__b","description":"%s"}`, strings.Repeat("x", size))
	live := s.get(t.Context(), poolQuery{session: session, inline: &hostapi.PoolSnapshot{Status: poolOK, Tools: []json.RawMessage{[]byte(tool)}}})
	if live.pool == nil || live.pool.Len() != 1 {
		t.Fatalf("no pool: %+v", live)
	}
}

func TestPoolsKeptAreBounded(t *testing.T) {
	s := newPoolSource(hostapi.Host{})
	for i := range 3 * poolsKept {
		keep(s, t, fmt.Sprint("many", i), 10)
	}
	if len(s.kept) != poolsKept || len(s.age) != poolsKept {
		t.Errorf("%d pools are kept", len(s.kept))
	}
	for i := range 12 {
		keep(s, t, fmt.Sprint("large", i), poolBytesKept/8)
	}
	if s.size > poolBytesKept || len(s.kept) != 7 {
		t.Errorf("%d pools with %d bytes are kept", len(s.kept), s.size)
	}
	keep(s, t, "large11", 10) // shrinks in place
	keep(s, t, "huge", 2*poolBytesKept)
	if len(s.kept) != 1 || s.kept["huge"] == nil {
		t.Errorf("%d pools are kept, huge among them: %v", len(s.kept), s.kept["huge"] != nil)
	}
	keep(s, t, "huge", 10)
	if want := s.kept["huge"].size(); s.size != want {
		t.Errorf("%d bytes are counted, %d are kept", s.size, want)
	}
}
