package worker

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A check is one entry of testdata/language: a script's body and what comes of it, as JSON, undefined, or
// "throws Name".
type check struct {
	file, name, code string
	want             string // what the standard says
	here             string // what the sandbox does instead, "" = want
	node20           string // what Node 20 does instead, "" = want: mostly what it is too old for
}

func (c check) outcome() string { return firstOf(c.here, c.want) }

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// checks reads the list. An entry is a block of "field: text" lines; a line that begins with "    | " goes on with
// the one before.
func checks(t *testing.T) []check {
	t.Helper()
	files, err := filepath.Glob("testdata/language/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no checks", err)
	}
	var all []check
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(raw), "\n\n") {
			if block = strings.TrimSpace(block); block == "" || strings.HasPrefix(block, "#") {
				continue
			}
			all = append(all, readCheck(t, filepath.Base(file), block))
		}
	}
	return all
}

func readCheck(t *testing.T, file, block string) check {
	t.Helper()
	c := check{file: file}
	var last *string
	for _, line := range strings.Split(block, "\n") {
		if more, ok := strings.CutPrefix(line, "    | "); ok && last != nil {
			*last += "\n" + more
			continue
		}
		field, text, _ := strings.Cut(line, ": ")
		last = map[string]*string{"name": &c.name, "code": &c.code, "want": &c.want, "here": &c.here, "node20": &c.node20}[field]
		if last == nil || *last != "" {
			t.Fatalf("%s: unknown or double field in %q", file, line)
		}
		*last = text
	}
	if c.name == "" || c.code == "" || c.want == "" || c.here == c.want || c.node20 == c.want {
		t.Fatalf("%s: incomplete entry:\n%s", file, block)
	}
	return c
}

// sandboxOutcome runs a script and puts its end in the checks' words.
func sandboxOutcome(t *testing.T, code string) string {
	e := host{}.run(t, code)
	switch {
	case !e.done:
		return "throws " + firstOf(e.failed.Name, e.failed.Kind)
	case e.value == "":
		return "undefined"
	}
	return e.value
}

// The language is what the list says it is: what passes and what does not is pinned.
func TestM1_Language(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute with the race detector, which has nothing to see: a script has one goroutine")
	}
	all := checks(t)
	if len(all) < 400 {
		t.Errorf("%d checks, want at least 400", len(all))
	}
	seen := map[string]bool{}
	for _, c := range all {
		if id := c.file + "/" + c.name; seen[id] {
			t.Errorf("%s: two checks of one name", id)
		} else {
			seen[id] = true
		}
		t.Run(c.file+"/"+c.name, func(t *testing.T) {
			if got := sandboxOutcome(t, c.code); got != c.outcome() {
				t.Errorf("%s\ngot  %s\nwant %s", c.code, got, c.outcome())
			}
		})
	}
}

// LANGUAGE.md names every check that does not pass, and no other.
func TestM1_LanguageTableIsComplete(t *testing.T) {
	raw, err := os.ReadFile("../LANGUAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(raw), -1) {
		listed = append(listed, m[1])
	}
	var failing []string
	for _, c := range checks(t) {
		if c.here != "" {
			failing = append(failing, strings.TrimSuffix(c.file, ".txt")+": "+c.name)
		}
	}
	slices.Sort(listed)
	slices.Sort(failing)
	if !slices.Equal(listed, failing) {
		t.Errorf("LANGUAGE.md lists\n%s\nthe checks that do not pass are\n%s", strings.Join(listed, "\n"), strings.Join(failing, "\n"))
	}
}

// nodeOracle runs the bodies given as a JSON array on stdin, each in a context of its own.
const nodeOracle = `
const vm = require('vm');
process.on('unhandledRejection', () => {});
const outcome = async (code) => {
  try {
    const v = await vm.runInContext('(async function(){' + code + '\n})()', vm.createContext({}),
      { importModuleDynamically() { throw new Error('no modules') } });
    const s = JSON.stringify(v);
    return s === undefined ? 'undefined' : s;
  } catch (e) { return 'throws ' + (e && e.name || typeof e) }
};
(async () => {
  const out = [];
  for (const code of JSON.parse(require('fs').readFileSync(0, 'utf8'))) out.push(await outcome(code));
  process.stdout.write(JSON.stringify(out));
})();`

// Node is the oracle for what the list expects.
func TestM1_LanguageAgreesWithNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	version, err := exec.Command(node, "--version").Output()
	if err != nil || !strings.HasPrefix(string(version), "v20.") {
		t.Skipf("the list is pinned for node 20, here is %s", version)
	}
	all := checks(t)
	var codes []string
	for _, c := range all {
		codes = append(codes, c.code)
	}
	in, err := json.Marshal(codes)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "-e", nodeOracle)
	cmd.Env = append(os.Environ(), "TZ=UTC", "LC_ALL=en_US.UTF-8")
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = os.Stderr
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := json.Unmarshal(raw, &got); err != nil || len(got) != len(all) {
		t.Fatalf("%d answers for %d checks: %v", len(got), len(all), err)
	}
	for i, c := range all {
		if want := firstOf(c.node20, c.want); got[i] != want {
			t.Errorf("%s/%s\n%s\nnode %s\nwant %s", c.file, c.name, c.code, got[i], want)
		}
	}
}
