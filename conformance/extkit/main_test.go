package extkit

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/conformance/need"
)

// The test binary is a broken extension too: `faulty FAULT COMMAND ARGS` stands in front of a good one.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "faulty" {
		os.Exit(faulty(os.Args[2], os.Args[3:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "orphan" {
		time.Sleep(time.Minute) // the kit finds and kills it before
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "extkit")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	built.dir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// built is the program under test, made once for all tests of the package.
var built struct {
	dir  string
	once sync.Once
	path string
}

// program gives the path of exec-ext.
func program(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		made := need.Program(t)
		path := filepath.Join(built.dir, filepath.Base(made))
		if err := os.Rename(made, path); err != nil {
			t.Fatal(err)
		}
		built.path = path
	})
	if built.path == "" {
		t.Fatal("exec-ext was not built")
	}
	return built.path
}
