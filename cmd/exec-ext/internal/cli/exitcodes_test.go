package cli

import (
	"bytes"
	"os"
	"os/exec"
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

// An interrupt that comes before anything else has the same code everywhere.
func TestAnInterruptIs130(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip("no program that waits")
	}
	for _, args := range []string{
		"gateway --demo", "catalog --mcp-config slow.json", "run --mcp-config slow.json -e 1",
		"conformance host -- sleep 100", "conformance extension -- sleep 100", "conformance replay trace.ndjson -- sleep 100",
		"conformance soak --duration 1h -- sleep 100",
	} {
		interrupts := make(chan os.Signal, 1)
		interrupts <- os.Interrupt
		stdin, end, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(t.TempDir())
		for name, text := range map[string]string{
			"slow.json":    `{"mcpServers": {"slow": {"command": "sleep", "args": ["100"]}}}`,
			"trace.ndjson": `{"trace":1,"version":"1","time":"2026-01-01T00:00:00Z","redacted":false}` + "\n" + `{"dir":"in","message":{"jsonrpc":"2.0","id":1,"method":"ping"},"ms":1}` + "\n",
		} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		errs := create(t)
		code := Main(t.Context(), &Program{Version: "test", Stdin: stdin, Stdout: create(t), Stderr: errs, Interrupts: interrupts,
			Lookup: os.LookupEnv, ConfigDir: func() (string, error) { return t.TempDir(), nil }}, strings.Fields(args))
		if code != ExitInterrupt {
			t.Errorf("%s: exit code %d\n%s", args, code, contents(t, errs))
		}
		end.Close()
		stdin.Close()
	}
}
