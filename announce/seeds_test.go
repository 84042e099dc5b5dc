package announce

import (
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/conformance"
)

// seeds are the texts with something like a marker in the conformance vectors.
func seeds(f *testing.F) []string {
	f.Helper()
	vectors, err := conformance.Load()
	if err != nil {
		f.Fatal(err)
	}
	var all []string
	for _, v := range vectors {
		for _, s := range v.Strings() {
			if strings.Contains(s, commentOpen) {
				all = append(all, s)
			}
		}
	}
	if len(all) == 0 {
		f.Fatal("the vectors hold no markers")
	}
	return all
}
