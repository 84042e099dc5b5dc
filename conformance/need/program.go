package need

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Program builds exec-ext for this test and gives its path.
func Program(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "exec-ext")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", path, "github.com/exec-ext/exec-ext/cmd/exec-ext").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}
