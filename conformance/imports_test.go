package conformance

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/exec-ext/exec-ext/"

// floors says which packages of ours each package may import; a name stands for the packages below it too, unless
// they have a row of their own. Packages without a row may import anything (tests, tools beside).
var floors = map[string][]string{
	"catalog":                      {},
	"rpc":                          {},
	"announce":                     {"catalog"},
	"sandbox/internal/wire":        {},
	"sandbox/internal/lockdown":    {"sandbox/internal/wire"},
	"sandbox/worker":               {"sandbox", "sandbox/internal/wire", "sandbox/internal/lockdown"}, // the parent's words for kinds
	"sandbox":                      {"sandbox/internal/wire"},
	"hostapi":                      {},
	"hostapi/refhost":              {"hostapi", "hostapi/refhost", "rpc", "catalog"},
	"cmd/exec-ext/internal/config": {"hostapi"},
	"cmd/exec-ext/internal/serve":  {"hostapi", "catalog", "announce", "sandbox", "rpc", "cmd/exec-ext/internal/config"},
	"conformance":                  {}, // the vectors, and what the kits share and knows no protocol
	"conformance/schema":           {"hostapi"},
	"conformance/extkit":           {"conformance", "conformance/schema", "hostapi", "rpc"},
	"conformance/hostkit":          {"conformance", "conformance/schema", "hostapi", "rpc"},
	"conformance/soak":             {"conformance", "hostapi", "rpc"},
	"conformance/trace":            {"conformance", "conformance/schema", "hostapi", "rpc"},
}

// owners says which packages alone may import a package of somebody else's; tests aside.
var owners = map[string][]string{
	"github.com/sourcegraph/jsonrpc2": {"rpc"},
	"github.com/dop251/goja":          {"sandbox/worker"},
	"github.com/dop251/goja_nodejs":   {"sandbox/worker"},
	"github.com/evanw/esbuild":        {"sandbox/worker"},
	"github.com/mark3labs/mcp-go":     {"hostapi/refhost", "cmd/exec-ext/internal/gateway"},
}

// Imports point down only, and each foreign engine has one owner.
func TestImportsPointDown(t *testing.T) {
	seen := map[string]bool{}
	walkGo(t, func(path, dir string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		row, ok := nearest(dir)
		for _, imported := range importsOf(t, path) {
			if ours, is := strings.CutPrefix(imported, module); is && ok {
				seen[row] = true
				if !may(row, ours) {
					t.Errorf("%s imports %s, which %s may not", path, ours, row)
				}
			}
			for foreign, allowed := range owners {
				if (imported == foreign || strings.HasPrefix(imported, foreign+"/")) && !under(dir, allowed) {
					t.Errorf("%s imports %s, which only %v may", path, imported, allowed)
				}
			}
		}
	})
	if len(seen) < 10 {
		t.Errorf("only %d packages with a row were seen", len(seen))
	}
}

func TestFloors(t *testing.T) {
	for _, c := range []struct {
		row, imported string
		want          bool
	}{
		{"sandbox", "sandbox/internal/wire", true},
		{"sandbox", "sandbox/internal/lockdown", false},
		{"cmd/exec-ext/internal/serve", "sandbox", true},
		{"cmd/exec-ext/internal/serve", "sandbox/worker", false},
		{"cmd/exec-ext/internal/serve", "hostapi/refhost", false},
		{"hostapi/refhost", "hostapi/refhost/demo", true},
		{"conformance/extkit", "conformance/suite", true},
		{"conformance/extkit", "conformance/hostkit", false},
		{"conformance", "conformance/extkit", false},
		{"catalog", "announce", false},
	} {
		if may(c.row, c.imported) != c.want {
			t.Errorf("%s imports %s: want %v", c.row, c.imported, c.want)
		}
	}
}

// fileLines is the size at which a file is asked what its second noun is.
const fileLines = 350

func TestFilesStaySmall(t *testing.T) {
	files := 0
	walkGo(t, func(path, _ string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > fileLines {
			t.Errorf("%s has %d lines", path, n)
		}
	})
	if files == 0 {
		t.Error("no file was looked at")
	}
}

// nearest is the row of a package: its own, or that of the closest folder above it.
func nearest(dir string) (string, bool) {
	for ; dir != "."; dir = filepath.Dir(dir) {
		if _, ok := floors[dir]; ok {
			return dir, true
		}
	}
	return "", false
}

// may says whether the packages of a row may import one: it belongs to the same row, or the row names it or a folder above
// it, and no nearer row has taken it out of there.
func may(row, imported string) bool {
	own, _ := nearest(imported)
	return own == row || slices.ContainsFunc(floors[row], func(name string) bool {
		return under(imported, []string{name}) && !strings.HasPrefix(own, name+"/")
	})
}

func under(dir string, allowed []string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool { return dir == a || strings.HasPrefix(dir, a+"/") })
}

func importsOf(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range file.Imports {
		out = append(out, strings.Trim(i.Path.Value, `"`))
	}
	return out
}

// walkGo visits every Go file of the module; dir is its folder from the root.
func walkGo(t *testing.T, visit func(path, dir string)) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "dist"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		visit(path, filepath.ToSlash(filepath.Dir(rel)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
