// Package need finds or makes what tests use beside Go: interpreters and packages of other languages, pinned. Where a
// tool is absent the test is left out, loudly; with CI=true it fails instead.
package need

import (
	"fmt"
	"os"
	"testing"
)

// Missing ends the test: as left out, or in CI as failed. what names the tool and how it was looked for.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("needed here: %s", what)
	}
	loud(fmt.Sprintf("LEFT OUT: %s: it needs %s\n", t.Name(), what))
	t.Skipf("LEFT OUT: %s", what)
}

// loud reaches the person who runs the tests. Over several packages `go test` keeps to itself what a passing test
// prints, so the line goes to the terminal, or where there is none to the standard error of the go command.
func loud(line string) {
	for _, path := range []string{"/dev/tty", fmt.Sprintf("/proc/%d/fd/2", os.Getppid())} {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			continue
		}
		_, err = f.WriteString(line)
		f.Close()
		if err == nil {
			return
		}
	}
	fmt.Fprint(os.Stderr, line)
}
