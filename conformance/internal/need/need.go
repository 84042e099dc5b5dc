// Package need finds or makes what tests use beside Go: interpreters and packages of other languages, pinned. Where a
// tool is absent the test is left out, loudly; with CI=true it fails instead.
package need

import (
	"os"
	"testing"
)

// Missing ends the test: as left out, or in CI as failed. what names the tool and how it was looked for.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("needed here: %s", what)
	}
	t.Skipf("LEFT OUT: %s", what)
}
