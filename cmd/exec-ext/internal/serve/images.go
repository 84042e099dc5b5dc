package serve

import (
	"encoding/json"
	"slices"
	"sync"
)

// images keeps the pictures of a run's calls up to a number and a size; the surplus is dropped and counted.
type images struct {
	maxCount int
	maxBytes int64

	mu      sync.Mutex
	kept    []indexedImage // guarded by mu
	bytes   int64          // guarded by mu
	dropped int            // guarded by mu
}

type indexedImage struct {
	call  int
	block json.RawMessage
}

func (s *images) add(call int, block json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) >= s.maxCount || s.bytes+int64(len(block)) > s.maxBytes {
		s.dropped++
		return
	}
	s.bytes += int64(len(block))
	s.kept = append(s.kept, indexedImage{call, block})
}

// blocks lists what was kept in the order of the calls, and how many were dropped.
func (s *images) blocks() (kept []json.RawMessage, dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortStableFunc(s.kept, func(a, b indexedImage) int { return a.call - b.call })
	for _, i := range s.kept {
		kept = append(kept, i.block)
	}
	return kept, s.dropped
}
