package need

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A test that lacks its tool is left out with a line that a plain run of many packages shows, and fails in CI.
func TestMissingIsLoudAndFailsInCI(t *testing.T) {
	if os.Getenv("NEED_INNER") == "1" {
		Missing(t, "a tool that is nowhere")
		t.Error("Missing came back")
	}
	for _, c := range []struct {
		ci       string
		passes   bool
		contains string
	}{
		{"", true, "LEFT OUT: TestMissingIsLoudAndFailsInCI: it needs a tool that is nowhere"},
		{"true", false, "needed here: a tool that is nowhere"},
	} {
		cmd := exec.Command("go", "test", "-count=1", "-run", t.Name(), ".", "../../hostapi")
		cmd.Env = append(os.Environ(), "NEED_INNER=1", "CI="+c.ci)
		got, err := cmd.CombinedOutput()
		if (err == nil) != c.passes {
			t.Errorf("CI=%q: %v\n%s", c.ci, err, got)
		}
		if terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil && c.passes {
			terminal.Close() // the line went there
			continue
		}
		if !strings.Contains(string(got), c.contains) {
			t.Errorf("CI=%q: no %q in\n%s", c.ci, c.contains, got)
		}
	}
}
