package worker

import (
	"bytes"
	"hash/maphash"

	"github.com/dop251/goja"
)

// A textStore keeps short texts of results for the next time they come: the names of members come once a row, and so
// do many values (states, types, labels).
type textStore struct {
	seed   maphash.Seed
	places [sharedTexts]storedText
}

// Texts of up to sharedBytes bytes are kept, each in the one of sharedTexts places it belongs in.
const (
	sharedBytes = 32
	sharedTexts = 512
)

// A storedText is one string for Go and for the script, which differ in half a surrogate pair.
type storedText struct {
	text  string
	value goja.Value // nil for none
}

// place gives where a text belongs by its JSON, and whether that is what is there; nil if it is not kept.
func (s *textStore) place(json []byte) (place *storedText, found bool) {
	text := json[1 : len(json)-1]
	if len(text) > sharedBytes || bytes.IndexByte(text, '\\') >= 0 {
		return nil, false
	}
	place = &s.places[maphash.Bytes(s.seed, text)%sharedTexts]
	return place, place.value != nil && place.text == string(text)
}
