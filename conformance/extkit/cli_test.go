package extkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/conformance/report"
)

// The command line gives the documented exit codes, in every format of the report.
func TestCommandLine(t *testing.T) {
	program := program(t)
	baseline := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(baseline, []byte("ext.script.logs # logs are dropped\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := []string{"--", program, "serve"}
	bad := []string{"--", os.Args[0], "faulty", "drops a field", program, "serve"}
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"passed", append([]string{"--case", "ext.lifecycle.ping,ext.script.logs", "--framing", "ndjson"}, good...), report.ExitPassed, "total: 3 passed"},
		{"failed", append([]string{"--case", "ext.script.logs"}, bad...), report.ExitFailed, "FAIL  ext.script.logs [ndjson]"},
		{"known", append([]string{"--case", "ext.script.logs", "--baseline", baseline}, bad...), report.ExitPassed, "1 known failures"},
		{"tap", append([]string{"--case", "ext.script.logs", "--format", "tap"}, bad...), report.ExitFailed, "not ok 2 - ext.script.logs"},
		{"junit", append([]string{"--case", "ext.script.logs", "--format", "junit"}, bad...), report.ExitFailed, "<failure message="},
		{"no such check", append([]string{"--case", "ext.no.such"}, good...), report.ExitUsage, "no check is called"},
		{"no such level", append([]string{"--level", "best"}, good...), report.ExitUsage, "--level"},
		{"no such baseline", append([]string{"--baseline", baseline + ".not"}, good...), report.ExitNoStart, "baseline"},
		{"no command", nil, report.ExitUsage, "command"},
		{"no such command", []string{"--", filepath.Join(t.TempDir(), "nothing")}, report.ExitNoStart, "does not start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			cmd := exec.Command(program, append([]string{"conformance", "extension"}, c.args...)...)
			cmd.Stdout, cmd.Stderr = &out, &out
			err := cmd.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(out.String(), c.says) {
				t.Errorf("exit code %d, want %d and %q in\n%s", code, c.code, c.says, out.String())
			}
		})
	}
}

// The JSON report is JSON and nothing else, on stdout; how far the run is goes to stderr.
func TestCommandLine_JSON(t *testing.T) {
	program := program(t)
	var progress bytes.Buffer
	cmd := exec.Command(program, "conformance", "extension", "--case", "ext.lifecycle.ping", "--framing", "ndjson", "--format", "json", "--", program, "serve")
	cmd.Stderr = &progress
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(progress.String(), "checks to do: 1") {
		t.Errorf("stderr has no progress: %q", progress.String())
	}
	var r struct {
		Results []struct{ ID, Outcome string }
	}
	if err := json.Unmarshal(out, &r); err != nil || len(r.Results) != 2 || r.Results[0].ID != goodbyesID || r.Results[0].Outcome != "pass" {
		t.Errorf("%v: %s", err, out)
	}
}
