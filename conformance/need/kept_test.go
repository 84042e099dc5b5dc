package need

import (
	"os"
	"path/filepath"
	"testing"
)

// What is kept is made once, and what ends in the middle is made again.
func TestKept(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // the cache folder, but for macOS and Windows
	t.Setenv("HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	made := 0
	fill := func(folder string) {
		made++
		write(t, filepath.Join(folder, "file"), []byte("x"))
	}
	t.Run("left out", func(t *testing.T) {
		kept(t, "a", func(string) { t.SkipNow() })
	})
	first, second := kept(t, "a", fill), kept(t, "a", fill)
	if _, err := os.Stat(filepath.Join(first, "file")); err != nil || first != second || made != 1 {
		t.Errorf("%s, then %s, made %d times: %v", first, second, made, err)
	}
	if rest, err := os.ReadDir(filepath.Dir(first)); err != nil || len(rest) != 1 {
		t.Errorf("%v beside it, %v", rest, err)
	}
}
