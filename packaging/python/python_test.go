// Package python_test runs the Python client's own tests: against a double that misbehaves, against the real program,
// and with the packages it has glue for.
package python_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/exec-ext/exec-ext/conformance/need"
)

func TestPythonClient(t *testing.T) {
	need.Inputs(t, "../..")
	python := need.Venv(t, "requirements.lock")
	out, err := run(t, "EXEC_EXT_TEST_BINARY="+need.Program(t), python, "-m", "unittest", "discover", "-s", "tests")
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("\nOK\n")) {
		t.Errorf("tests were left out or failed:\n%s", out)
	}
	t.Logf("%s", regexp.MustCompile(`Ran \d+ tests`).Find(out))
}

func TestPythonTypes(t *testing.T) {
	need.Inputs(t, "../..")
	python := need.Venv(t, "requirements.lock")
	cache := filepath.Join(t.TempDir(), "mypy")
	if out, err := run(t, "MYPY_FORCE_COLOR=0", python, "-m", "mypy", "--no-error-summary", "--cache-dir", cache); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func run(t *testing.T, variable, python string, args ...string) ([]byte, error) {
	t.Helper()
	source, err := filepath.Abs("src")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, args...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+source, "PYTHONDONTWRITEBYTECODE=1", variable)
	return cmd.CombinedOutput()
}
