package need

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Node gives the path of Node.js 20 or later.
func Node(t testing.TB) string {
	t.Helper()
	const check = "process.exit(process.versions.node.split('.')[0] >= 20 ? 0 : 1)"
	if path, err := exec.LookPath("node"); err == nil && exec.Command(path, "-e", check).Run() == nil {
		return path
	}
	Missing(t, "Node.js 20 or later (node on PATH)")
	return ""
}

// NPM gives a folder whose node_modules hold exactly what the package-lock.json in dir pins. It is made once and kept
// in the user's cache folder, under the hash of that file. Packages' own install scripts are not run.
func NPM(t testing.TB, dir string) string {
	t.Helper()
	Node(t)
	npm, err := exec.LookPath("npm")
	if err != nil {
		Missing(t, "npm (on PATH)")
	}
	lock := read(t, filepath.Join(dir, "package-lock.json"))
	sum := sha256.Sum256(lock)
	return kept(t, "npm-"+hex.EncodeToString(sum[:8]), func(folder string) {
		write(t, filepath.Join(folder, "package-lock.json"), lock)
		write(t, filepath.Join(folder, "package.json"), read(t, filepath.Join(dir, "package.json")))
		install := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		install.Dir = folder
		if out, err := install.CombinedOutput(); err != nil {
			Missing(t, "the packages of "+dir+": npm ci: "+err.Error()+"\n"+string(out))
		}
	})
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
