package config

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var digits = regexp.MustCompile(`\d+`)

// No sentence that a model can read holds the number of a limit: every text.go of a package that speaks to it.
func TestN4_NoTuningNumberInModelVisibleText(t *testing.T) {
	limits := map[string]string{}
	for _, c := range []any{Defaults().Limits, Defaults().Catalog, Ceilings().Limits, Ceilings().Catalog} {
		v := reflect.ValueOf(c)
		for i := range v.NumField() {
			n := v.Field(i).Int()
			for _, unit := range []int64{1, 1000, 1 << 10, 60_000, 1 << 20} { // as ms, s, KiB, minutes, MiB
				if n >= 8*unit {
					limits[fmt.Sprint(n/unit)] = v.Type().Field(i).Name
				}
			}
		}
	}
	files := 0
	for _, path := range textFiles(t) {
		files++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, isImport := n.(*ast.ImportSpec); isImport {
				return false
			}
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, number := range digits.FindAllString(text, -1) {
				if name, is := limits[number]; is {
					t.Errorf("%s: %q holds %s, the number of %s", path, text, number, name)
				}
			}
			return true
		})
	}
	if files < 4 {
		t.Errorf("only %d text files were found", files)
	}
}

// textFiles finds the text.go files of the packages whose words reach a model.
func textFiles(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, dir := range []string{"catalog", "announce", "sandbox", "cmd/exec-ext/internal/serve"} {
		root := filepath.Join("..", "..", "..", "..", dir)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(d.Name(), "text.go") {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}
