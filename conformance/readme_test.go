package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/conformance/need"
)

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// blocks gives README.md's code of one language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		if m[1] == language {
			out = append(out, m[2])
		}
	}
	if len(out) == 0 {
		t.Fatalf("README.md has no %s block", language)
	}
	return out
}

// Every shell command of the README works; the tests themselves are not run again from inside.
func TestReadme_Commands(t *testing.T) {
	var demo string
	ran := 0
	for _, block := range blocks(t, "sh") {
		for line := range strings.Lines(block) {
			command := strings.TrimSpace(line)
			if command == "go test ./..." {
				continue
			}
			command = strings.Replace(command, "-o exec-ext", "-o "+filepath.Join(t.TempDir(), "exec-ext"), 1)
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir = ".."
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", command, err, out)
			}
			if strings.HasSuffix(command, "run --demo") {
				demo = string(out)
			}
			ran++
		}
	}
	if ran < 2 {
		t.Errorf("only %d commands were found", ran)
	}
	holdOutput(t, demo, blocks(t, "output")[0])
}

// holdOutput checks that the lines shown come in this order; a line of three dots stands for any.
func holdOutput(t *testing.T, got, shown string) {
	t.Helper()
	rest := got
	for line := range strings.Lines(shown) {
		if line == "...\n" {
			continue
		}
		at := strings.Index(rest, line)
		if at < 0 {
			t.Errorf("the demo does not print %q here; it printed\n%s", line, got)
			return
		}
		rest = rest[at+len(line):]
	}
}

// The hosts of the README run as they stand.
func TestReadme_HostsInOtherLanguages(t *testing.T) {
	for _, c := range []struct{ language, file string }{{"js", "host.mjs"}, {"python", "host.py"}} {
		t.Run(c.language, func(t *testing.T) {
			interpreter := need.Python
			if c.language == "js" {
				interpreter = need.Node
			}
			path := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(path, []byte(blocks(t, c.language)[0]), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(interpreter(t), path)
			cmd.Env = append(os.Environ(), "EXEC_EXT_PATH="+need.Program(t))
			out, err := cmd.Output()
			if err != nil || string(out) != "hello you\n" {
				t.Errorf("%v, printed %q", err, out)
			}
		})
	}
}

// Every file that a document links to is there.
func TestDocs_Links(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	docs := 0
	for _, pattern := range []string{"../*.md", "../*/*.md", "../*/*/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			docs++
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range link.FindAllStringSubmatch(string(text), -1) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
					t.Errorf("%s links to %s, which is not there", file, m[1])
				}
			}
		}
	}
	if docs == 0 {
		t.Error("no document was found")
	}
}
