package hostapi_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/exec-ext/exec-ext/hostapi"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The committed schema is the one that the Go types give.
func TestSchemaFileIsCurrent(t *testing.T) {
	got, err := hostapi.Schemas()
	if err != nil {
		t.Fatal(err)
	}
	const file = "protocol.schema.json"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run go test ./hostapi -update", file)
	}
}
