package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// command runs one command line in a folder with these files.
func command(t *testing.T, files map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, errs := create(t), create(t)
	code = Main(context.Background(), &Program{Version: "test", Stdin: os.Stdin, Stdout: out, Stderr: errs,
		Lookup: func(string) (string, bool) { return "", false }, ConfigDir: os.UserConfigDir}, args)
	return code, contents(t, out), contents(t, errs)
}

func create(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func contents(t *testing.T, f *os.File) string {
	t.Helper()
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const twoTools = `[{"name":"mcp__git__log","description":"log"},{"name":"mcp__git__push"}]`

func TestPlanExplainsATurn(t *testing.T) {
	_, first, _ := command(t, map[string]string{"pool.json": twoTools}, "plan", "--pool", "pool.json")
	var message []string
	for line := range strings.Lines(first) {
		if text, ok := strings.CutPrefix(line, "  | "); ok {
			message = append(message, text)
		}
	}
	history, err := json.Marshal([]string{"Be brief.", strings.Join(message, "")})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"pool.json": twoTools, "history.json": string(history), "off.json": `{"enableExec":{"local":false}}`,
		"denied.json": `{"status":"ok","deny":["Exec"],"tools":` + twoTools + `}`,
		"far.json":    `{"limits":{"wallMs":99999999}}`,
		"bare.json":   `{"status":"ok","tools":[{"name":"bash"}]}`,
	}
	for _, c := range []struct {
		args string
		want []string // on stdout
		told string   // on stderr
	}{
		{"--pool pool.json", []string{"Declaration: exec, because pool_nonempty", "Announcement: append full, because first"}, ""},
		{"--pool pool.json --history history.json", []string{"text 2: full", "Announcement: none, because unchanged"}, ""},
		{"--pool pool.json --history history.json --config off.json", []string{"flat, because disabled", "append retired, because not_declared"}, ""},
		{"--pool denied.json --history history.json", []string{"flat, because denied", "append retired, because not_declared"}, ""},
		{"--pool pool.json --exec excluded", []string{"flat, because excluded", "none, because nothing_to_retire"}, ""},
		{"--pool pool.json --no-calls", []string{"flat, because host_cannot_call"}, ""},
		{"--pool pool.json --no-channel", []string{"exec, because pool_nonempty", "none, because channel_absent"}, ""},
		{"--pool bare.json --history history.json", []string{"none, because pool_empty", "append empty, because pool_emptied"}, `exec-ext: "bash"`},
		{"--demo", []string{"Declaration: exec, because pool_nonempty", "tools.mcp__tracker__list_issues("}, ""},
		{"--demo --history history.json", []string{"Announcement: append full, because"}, ""},
		{"--pool pool.json --config far.json", []string{"exec, because pool_nonempty"},
			"exec-ext: the config far.json: limits.wallMs is 3600000, the value asked for (99999999) is out of bounds"},
		{"--history history.json", []string{"flat, because pool_unavailable", "none, because pool_unavailable"}, ""},
	} {
		code, stdout, stderr := command(t, files, append([]string{"plan"}, strings.Fields(c.args)...)...)
		if code != ExitOK || !strings.HasPrefix(stderr, c.told) || (stderr == "") != (c.told == "") {
			t.Errorf("%s: exit code %d, stderr %q, want %q", c.args, code, stderr, c.told)
		}
		if strings.Contains(stdout, "Warning") {
			t.Errorf("%s: a warning on stdout\n%s", c.args, stdout)
		}
		for _, want := range c.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: not in the output: %q\n%s", c.args, want, stdout)
			}
		}
	}
}

func TestPlanSaysWhatIsWrongWithItsFiles(t *testing.T) {
	files := map[string]string{"pool.json": twoTools, "messages.json": `[{"role":"user","content":"hi"}]`, "config.json": `{"limits":{"wallMs":"1 s"}}`}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--history absent.json", ExitConfig, "absent.json"},
		{"--pool absent.json", ExitConfig, "absent.json"},
		{"--config absent.json", ExitConfig, "absent.json"},
		{"--mcp-config absent.json", ExitConfig, "absent.json"},
		{"--demo --pool pool.json", ExitUsage, "can't be used together"},
		{"--exec maybe", ExitUsage, "--exec must be one of"},
		{"--history messages.json", ExitConfig, "not the messages themselves"},
		{"--config config.json", ExitConfig, "$.config.limits.wallMs: expected an integer"},
	} {
		code, stdout, stderr := command(t, files, append([]string{"plan"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
	}
}
