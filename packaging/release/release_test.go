package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/conformance/need"
)

const (
	testVersion = "1.2.3-rc.4"
	large       = "EXEC_EXT_RELEASE_ALL" // a variable: 1 = every target
)

// One release is made from this folder and another from a copy of it elsewhere, at another hour of the world: they are
// the same to the byte, and so is a program that is compiled anew. Then what people install is installed from the files, with the network closed, and the demo is
// run from there. EXEC_EXT_RELEASE_ALL=1 does it for every target, else for this machine's and one of another kind.
func TestReleaseTwiceAndInstalled(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs for several platforms")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	need.Inputs(t, root)
	node := need.Node(t)
	modules := filepath.Join(need.NPM(t, "../npm"), "node_modules")
	targets := []string{runtime.GOOS + "/" + runtime.GOARCH, "windows/amd64"}
	if os.Getenv(large) == "1" {
		targets = nil
	}
	first, second := t.TempDir(), t.TempDir()
	make := func(root, out string) {
		t.Helper()
		o := Options{Root: root, Out: out, Version: testVersion, Targets: targets, NodeModules: modules, Log: t.Output()}
		if err := Release(o); err != nil {
			t.Fatal(err)
		}
	}
	make(root, first)
	elsewhere := filepath.Join(t.TempDir(), "somewhere", "else")
	copyProject(t, root, elsewhere)
	t.Setenv("TZ", "Pacific/Kiritimati")
	t.Setenv("GOFLAGS", "-buildvcs=true")
	make(elsewhere, second)

	t.Run("same bytes", func(t *testing.T) { sameFiles(t, first, second) })
	t.Run("sums", func(t *testing.T) { checkSums(t, first) })
	t.Run("manifest and programs", func(t *testing.T) { checkManifest(t, first) })
	t.Run("sbom and licences", func(t *testing.T) { checkBOM(t, first) })
	t.Run("compiled anew", func(t *testing.T) { compileAnew(t, elsewhere, first) })
	closeNetwork(t)
	t.Run("npm package", func(t *testing.T) { installNPM(t, first, node) })
	t.Run("wheel", func(t *testing.T) { installWheel(t, first) })
}

// compileAnew builds this machine's program, or in the large test each, with nothing kept from an earlier build.
func compileAnew(t *testing.T, root, release string) {
	t.Setenv("GOCACHE", t.TempDir())
	o := Options{Root: root, Out: t.TempDir(), Version: testVersion, Targets: []string{runtime.GOOS + "/" + runtime.GOARCH}}
	if os.Getenv(large) == "1" {
		o.Targets = nil
	}
	b, err := prepare(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.programs(); err != nil {
		t.Fatal(err)
	}
	for _, built := range b.targets {
		archive := b.archiveName(built)
		if got := unpack(t, archive, read(t, release, archive))[built.binaryName()]; !bytes.Equal(got, built.program) {
			t.Errorf("%s: compiled anew, the program is another: %s and %s", built, digest(got), digest(built.program))
		}
	}
}

func sameFiles(t *testing.T, first, second string) {
	names := listed(t, first)
	if other := listed(t, second); !slices.Equal(names, other) {
		t.Fatalf("one release has %v, the other %v", names, other)
	}
	for _, name := range names {
		if a, b := read(t, first, name), read(t, second, name); !bytes.Equal(a, b) {
			t.Errorf("%s differs: %d and %d bytes, %s and %s", name, len(a), len(b), digest(a), digest(b))
		}
	}
}

// checkSums reads the sums as sha256sum would, and misses no file.
func checkSums(t *testing.T, folder string) {
	var names []string
	for line := range strings.Lines(string(read(t, folder, "SHA256SUMS"))) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if got := digest(read(t, folder, name)); !ok || got != sum {
			t.Errorf("%s: listed %s, is %s", name, sum, got)
		}
		names = append(names, name)
	}
	if want := slices.DeleteFunc(listed(t, folder), func(n string) bool { return n == "SHA256SUMS" }); !slices.Equal(names, want) {
		t.Errorf("listed %v, there are %v", names, want)
	}
}

func checkManifest(t *testing.T, folder string) {
	var m pluginManifest
	if err := json.Unmarshal(read(t, folder, "exec-ext-plugin.json"), &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Platforms) < 2 || m.Version != testVersion || !slices.Equal(m.Protocol.Versions, []int{1}) {
		t.Errorf("manifest: %+v", m)
	}
	for _, p := range m.Platforms {
		archive := read(t, folder, p.Archive)
		if digest(archive) != p.ArchiveSHA256 {
			t.Errorf("%s: wrong digest of the archive", p.Archive)
		}
		program := unpack(t, p.Archive, archive)[p.Program]
		if digest(program) != p.ProgramSHA256 || len(program) != p.ProgramBytes {
			t.Errorf("%s: wrong digest or size of the program", p.Archive)
		}
		info, err := buildinfo.Read(bytes.NewReader(program))
		if err != nil {
			t.Fatal(err)
		}
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if settings["GOOS"] != p.OS || settings["GOARCH"] != p.Arch || settings["CGO_ENABLED"] != "0" || settings["vcs"] != "" {
			t.Errorf("%s: built with %v", p.Archive, settings)
		}
		root, err := filepath.Abs("../..")
		if err != nil {
			t.Fatal(err)
		}
		places := strings.Fields(run(t, ".", "go", "env", "GOROOT", "GOMODCACHE"))
		for _, trace := range append(places, root) {
			if bytes.Contains(program, []byte(trace)) {
				t.Errorf("%s: the program holds %q", p.Archive, trace)
			}
		}
	}
}

func checkBOM(t *testing.T, folder string) {
	var list bom
	if err := json.Unmarshal(read(t, folder, "exec-ext.cdx.json"), &list); err != nil {
		t.Fatal(err)
	}
	notices := string(read(t, folder, "THIRD_PARTY_LICENSES.txt"))
	seen := map[string]bool{}
	for _, c := range list.Components {
		seen[c.Name] = true
		if c.Version == "" || c.Licenses[0].License.ID == "" || !strings.HasPrefix(c.PURL, "pkg:") {
			t.Errorf("incomplete: %+v", c)
		}
		if strings.HasPrefix(c.PURL, "pkg:golang/") && !strings.Contains(notices, "\n"+c.Name+" "+c.Version+" (") {
			t.Errorf("%s %s has no licence text", c.Name, c.Version)
		}
	}
	for _, name := range []string{"std", "github.com/dop251/goja", "github.com/sourcegraph/jsonrpc2", "vscode-jsonrpc"} {
		if !seen[name] {
			t.Errorf("%s is not in the list", name)
		}
	}
	if !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`).MatchString(list.SerialNumber) {
		t.Errorf("serial number %s", list.SerialNumber)
	}
}

// closeNetwork points every client at a port where nobody listens.
func closeNetwork(t *testing.T) {
	const nobody = "http://127.0.0.1:9/"
	for _, name := range []string{"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "npm_config_registry", "PIP_INDEX_URL"} {
		t.Setenv(name, nobody)
	}
	t.Setenv("no_proxy", "")
	t.Setenv("npm_config_offline", "true")
	t.Setenv("npm_config_cache", t.TempDir())
	t.Setenv("PIP_NO_INDEX", "1")
	t.Setenv("EXEC_EXT_PATH", "")
}

func installNPM(t *testing.T, release, node string) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
		t.Fatal(err)
	}
	words := map[string]string{"amd64": "x64", "windows": "win32"}
	word := func(s string) string { return cmp.Or(words[s], s) }
	platform := "exec-ext-" + word(runtime.GOOS) + "-" + word(runtime.GOARCH) + "-" + testVersion + ".tgz"
	run(t, folder, "npm", "install", "--no-audit", "--no-fund", filepath.Join(release, "exec-ext-"+testVersion+".tgz"), filepath.Join(release, platform))
	expectDemo(t, run(t, folder, "npx", "exec-ext", "run", "--demo"))
	if got := run(t, folder, "npx", "exec-ext", "version"); strings.TrimSpace(got) != testVersion {
		t.Errorf("version: %q", got)
	}
	for flag, script := range map[string]string{
		"module":   `import { resolveBinary } from "exec-ext"; console.log(resolveBinary().source);`,
		"commonjs": `console.log(require("exec-ext").resolveBinary().source);`,
	} {
		if got := run(t, folder, node, "--input-type="+flag, "-e", script); got != "package\n" {
			t.Errorf("%s: the binary is found by %q, want the platform package", flag, got)
		}
	}
}

func installWheel(t *testing.T, release string) {
	python := need.Python(t)
	folder := t.TempDir()
	run(t, folder, python, "-m", "venv", "venv")
	bin := filepath.Join(folder, "venv", "bin")
	if runtime.GOOS == "windows" {
		bin = filepath.Join(folder, "venv", "Scripts")
	}
	// pip itself picks the wheel that fits this machine: it is only told where the files are.
	run(t, folder, filepath.Join(bin, "python"), "-m", "pip", "install", "--no-index", "--find-links", release, "--pre", "exec-ext")
	expectDemo(t, run(t, folder, filepath.Join(bin, "exec-ext"), "run", "--demo"))
	const script = `
import os, exec_ext, exec_ext.sync
os.environ["PATH"] = ""
with exec_ext.sync.ExecExt(exec_ext.Funnel(lambda c: {"content": []}, lambda r: [{"name": "mcp__s__t"}])) as ext:
    print(exec_ext.__version__, ext.info["serverInfo"]["version"], ext.run("s", {"code": "return 6 * 7"})["returnValue"])
`
	if got, want := run(t, folder, filepath.Join(bin, "python"), "-c", script), "1.2.3rc4 1.2.3-rc.4 42\n"; strings.ReplaceAll(got, "\r", "") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func expectDemo(t *testing.T, out string) {
	t.Helper()
	if !strings.Contains(out, "mcp__") || !strings.Contains(out, "tool calls") {
		t.Errorf("that is no demo:\n%s", out)
	}
}
