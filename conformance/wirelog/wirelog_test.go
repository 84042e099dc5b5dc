package wirelog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	l, err := Open(dir, "ext.a/b.c [ndjson]")
	if err != nil {
		t.Fatal(err)
	}
	l.Add("in", []byte("<é>\n"))
	l.Add("out", nil)
	l.Add("out", []byte{0xff, 'a'})
	l.Close()
	got, err := os.ReadFile(filepath.Join(dir, "ext.a-b.c.ndjson.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`"in" "<é>\n" ""`, `"out" "" "ff61"`}
	for line := range strings.Lines(string(got)) {
		var l Line
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 || show(l) != want[0] {
			t.Fatalf("got %s, want %q", show(l), want)
		}
		want = want[1:]
	}
	if len(want) > 0 || !strings.Contains(string(got), "<é>") {
		t.Errorf("%q is missing in %s", want, got)
	}
	var none *Log
	none.Add("in", []byte("x"))
	none.Close()
	if l, err := Open("", "x"); l != nil || err != nil {
		t.Errorf("%v, %v", l, err)
	}
	if _, err := Open(filepath.Join(dir, "ext.a-b.c.ndjson.jsonl"), "x"); err == nil {
		t.Error("a file was taken for a folder")
	}
}

func show(l Line) string {
	text, hex := "", ""
	if l.Text != nil {
		text = *l.Text
	}
	if l.Hex != nil {
		hex = *l.Hex
	}
	return fmt.Sprintf("%q %q %q", l.Dir, text, hex)
}
