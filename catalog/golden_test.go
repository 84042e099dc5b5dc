package catalog

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestGolden renders the pool of each testdata/golden/*.txtar with its options and compares the text. The comment on
// top of a file says what it shows; pool.json holds tools as a host sends them, options.json what differs from the
// defaults, want.txt the catalog.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("testdata/golden/*.txtar")
	if len(files) == 0 {
		t.Fatal("no goldens")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var s Snapshot
			o := defaults
			want := -1
			for i, f := range a.Files {
				switch f.Name {
				case "pool.json":
					err = json.Unmarshal(f.Data, &s.Tools)
				case "options.json":
					err = json.Unmarshal(f.Data, &o)
				case "want.txt":
					want = i
				default:
					t.Fatalf("unknown member %s", f.Name)
				}
				if err != nil {
					t.Fatalf("%s: %v", f.Name, err)
				}
			}
			if want < 0 || s.Tools == nil {
				t.Fatal("pool.json or want.txt is missing")
			}
			p, _ := NewPool(s)
			got := p.Render(o).Text + "\n"
			if *update {
				a.Files[want].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(a.Files[want].Data), got); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}
