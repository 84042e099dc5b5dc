package packaging

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/conformance/need"
	"github.com/exec-ext/exec-ext/conformance/report"
)

// conformsAsHost holds an adapter's host against every check of every level, by the command that host authors use. No
// check may fail or be left out.
func conformsAsHost(t *testing.T, program string, adapter ...string) {
	t.Helper()
	cmd := exec.Command(program, append([]string{"conformance", "host", "--format", "json", "--jobs", "3", "--"}, adapter...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var r struct {
		Results []struct{ ID, Title, Outcome, Detail string }
	}
	if json.Unmarshal(out, &r) != nil || len(r.Results) == 0 {
		t.Fatalf("no report: %v\n%s\n%s", err, out, stderr.String())
	}
	for _, c := range r.Results {
		if c.Outcome != string(report.Pass) {
			t.Errorf("%s (%s): %s: %s", c.ID, c.Title, c.Outcome, c.Detail)
		}
	}
	if err != nil && !t.Failed() {
		t.Errorf("no check failed, and yet: %v", err)
	}
	t.Logf("%d checks", len(r.Results))
}

// replaysVectors plays the vectors with the Node client as the host. A runner that plays few proves little.
func replaysVectors(t *testing.T, folder, program string) {
	t.Helper()
	vectors, err := filepath.Abs(filepath.Join("..", "conformance", "vectors"))
	if err != nil {
		t.Fatal(err)
	}
	need.Inputs(t, vectors)
	out := run(t, folder, nil, need.Node(t), "conformance-runner/run.mjs", program, vectors)
	summary := regexp.MustCompile(`(?m)^# passed (\d+), failed 0, left out (\d+)$`).FindStringSubmatch(out)
	if summary == nil {
		t.Fatalf("no summary:\n%s", out)
	}
	passed, _ := strconv.Atoi(summary[1])
	leftOut, _ := strconv.Atoi(summary[2])
	if passed < leftOut {
		t.Errorf("only %d vectors were played and %d left out:\n%s", passed, leftOut, out)
	}
	t.Log(summary[0])
}
