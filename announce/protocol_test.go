package announce

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
)

// protocolTables are the decision tables as the contract shows them, by the comment in front of each.
func protocolTables() map[string]string {
	var declaration, announcement strings.Builder
	declaration.WriteString("| `mode` | `reason` | when |\n|---|---|---|\n")
	for _, r := range modeRows() {
		fmt.Fprintf(&declaration, "| `%s` | `%s` | %s |\n", r.mode, r.reason, r.when)
	}
	announcement.WriteString("| `kind` | `reason` | when |\n|---|---|---|\n")
	for _, r := range rows() {
		fmt.Fprintf(&announcement, "| `%s` | `%s` | %s |\n", cmp.Or(r.kind, "none"), r.reason, r.when)
	}
	return map[string]string{"declaration": declaration.String(), "announcement": announcement.String()}
}

// The contract shows the tables that decide, row for row.
func TestProtocolHasTheDecisionTables(t *testing.T) {
	const file = "../hostapi/PROTOCOL.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for name, want := range protocolTables() {
		before, rest, found := strings.Cut(text, "<!-- "+name+" -->\n")
		got, after, ends := strings.Cut(rest, "<!-- end -->")
		if !found || !ends {
			t.Errorf("%s has no place for the table %s", file, name)
			continue
		}
		if *update {
			got, text = want, before+"<!-- "+name+" -->\n"+want+"<!-- end -->"+after
		}
		if got != want {
			t.Errorf("%s, %s: got\n%swant\n%s(go test ./announce -update)", file, name, got, want)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
