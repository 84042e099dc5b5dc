package python_test

import (
	"os"
	"testing"

	"github.com/exec-ext/exec-ext/conformance/hostkit"
	"github.com/exec-ext/exec-ext/conformance/need"
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/suite"
)

// TestMain lets this test binary be the fake extension that the client spawns.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "fake-extension" {
		os.Exit(hostkit.Fake(os.Args[2], os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// The Python client, as a real process, passes every check that a host can be held against, at every level.
func TestPythonClientConforms(t *testing.T) {
	need.Inputs(t, ".")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, err := hostkit.Run(t.Context(), hostkit.Options{
		Options: suite.Options{Command: []string{need.Python(t), "conformance_adapter"}},
		Fake:    []string{self, "fake-extension"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Results {
		switch c.Outcome {
		case report.Fail:
			t.Errorf("%s (%s): %s", c.Check.ID, c.Check.Title, c.Detail)
		case report.Skip:
			t.Errorf("%s was left out: %s", c.Check.ID, c.Detail)
		}
	}
	t.Logf("%d checks", len(r.Results))
}
