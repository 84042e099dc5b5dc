package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/serve"
	"github.com/exec-ext/exec-ext/conformance/report"
)

// The README shows the table of the code.
func TestReadmeHasTheExitCodes(t *testing.T) {
	var table bytes.Buffer
	printExitCodes(&table)
	readme, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```text\n"+table.String()+"```\n") {
		t.Errorf("README.md lacks this table:\n%s", table.String())
	}
}

// Packages below have their own names for the codes; they mean the same numbers.
func TestExitCodesAgree(t *testing.T) {
	for name, pair := range map[string][2]int{
		"serve goodbye":         {serve.ExitOK, ExitOK},
		"serve no goodbye":      {serve.ExitNoGoodbye, ExitFailed},
		"serve isolation":       {serve.ExitIsolation, ExitConfig},
		"conformance passed":    {report.ExitPassed, ExitOK},
		"conformance failed":    {report.ExitFailed, ExitFailed},
		"conformance usage":     {report.ExitUsage, ExitUsage},
		"conformance not begun": {report.ExitNoStart, ExitConfig},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %d, want %d", name, pair[0], pair[1])
		}
	}
	seen := map[int]bool{}
	for _, e := range exitCodes() {
		if seen[e.code] || e.meaning == "" {
			t.Errorf("%+v", e)
		}
		seen[e.code] = true
	}
}
