package need

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Inputs looks at every file under folder, so that `go test` does not repeat an old answer when one of them has
// changed: it can't know what the programs that a test starts will read.
func Inputs(t testing.TB, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // a file that goes while the tests run is no input
		}
		if d.IsDir() && slices.Contains([]string{".git", "node_modules", "dist", "__pycache__"}, d.Name()) {
			return fs.SkipDir
		}
		_, _ = os.Stat(path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
