package need

import (
	"os"
	"path/filepath"
	"testing"
)

// kept gives the folder of a name in the user's cache folder. It is made once, by fill, which gets an empty folder.
func kept(t testing.TB, name string, fill func(folder string)) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(cache, "exec-ext-tests")
	folder := filepath.Join(root, name)
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	// Made aside and then renamed, so that no test ever sees half of one.
	making, err := os.MkdirTemp(root, "making-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(making)
	fill(making)
	if err := os.Rename(making, folder); err != nil {
		if _, there := os.Stat(folder); there != nil {
			t.Fatal(err)
		}
	}
	return folder
}
