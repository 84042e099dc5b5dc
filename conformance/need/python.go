package need

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Python gives the path of a Python 3.10 or later that can make virtual environments.
func Python(t testing.TB) string {
	t.Helper()
	const check = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"
	for _, name := range []string{"python3", "python"} {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", check).Run() == nil {
			return path
		}
	}
	Missing(t, "Python 3.10 or later with venv (python3 or python on PATH)")
	return ""
}

// Venv gives the Python of a virtual environment that holds exactly what the file requirements pins by hash. It is
// made once and kept in the user's cache folder, under the hash of that file and of the interpreter's version.
func Venv(t testing.TB, requirements string) string {
	t.Helper()
	python := Python(t)
	lock, err := os.ReadFile(requirements)
	if err != nil {
		t.Fatal(err)
	}
	version, err := exec.Command(python, "-VV").Output()
	if err != nil {
		t.Fatalf("%s -VV: %v", python, err)
	}
	sum := sha256.Sum256([]byte(string(version) + "\x00" + string(lock)))
	return venvPython(kept(t, "venv-"+hex.EncodeToString(sum[:8]), func(folder string) {
		for _, command := range [][]string{
			{python, "-m", "venv", folder},
			{venvPython(folder), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", "-r", requirements},
		} {
			if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
				Missing(t, "Python packages: "+strings.Join(command, " ")+": "+err.Error()+"\n"+string(out))
			}
		}
	}))
}

func venvPython(folder string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(folder, "Scripts", "python.exe")
	}
	return filepath.Join(folder, "bin", "python")
}
