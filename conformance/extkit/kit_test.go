package extkit

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/conformance"
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/suite"
	"github.com/exec-ext/exec-ext/conformance/wirelog"
)

// Our own extension passes every level, in both framings where framing matters.
func TestOwnServePassesEveryLevel(t *testing.T) {
	r, err := Run(context.Background(), Options{Options: suite.Options{Command: []string{program(t), "serve"}, Jobs: 2, Timeout: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	levels := map[string]int{}
	variants := map[string]int{}
	for _, res := range r.Results {
		levels[res.Level]++
		variants[res.Variant]++
		if res.Outcome != report.Pass {
			t.Errorf("%s: %s\n%s", res.Name(), res.Title, res.Detail)
		}
	}
	for _, level := range conformance.Levels() {
		if levels[level] < 30 {
			t.Errorf("level %s has %d checks", level, levels[level])
		}
	}
	if variants["ndjson"] < 250 || variants["content-length"] < 100 {
		t.Errorf("checks by framing: %v", variants)
	}
}

// The order of a report and its names depend on nothing but the vectors.
func TestJobsAreInOrder(t *testing.T) {
	k := &kit{Options: Options{Framing: Both, Options: suite.Options{Level: "core"}}}
	first, err := k.jobs()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, j := range first {
		names = append(names, j.check.ID)
		if j.check.Level != "core" {
			t.Errorf("%s is of level %s", j.check.ID, j.check.Level)
		}
	}
	if !slices.IsSorted(names) {
		t.Error("the checks are not in the order of their ids")
	}
}

func TestOptionsThatAreWrong(t *testing.T) {
	for name, o := range map[string]Options{
		"no command": {},
		"level":      {Options: suite.Options{Command: []string{"x"}, Level: "best"}},
		"case":       {Options: suite.Options{Command: []string{"x"}, Case: "ext.nothing.*"}},
		"pattern":    {Options: suite.Options{Command: []string{"x"}, Case: "[a-"}},
		"framing":    {Options: suite.Options{Command: []string{"x"}}, Framing: "http"},
		"nothing":    {Options: suite.Options{Command: []string{"x"}, Case: "ext.framing.input-ends-counted"}, Framing: "ndjson"},
	} {
		if _, err := Run(context.Background(), o); !errors.Is(err, suite.ErrUsage) {
			t.Errorf("%s: %v, want a usage error", name, err)
		}
	}
}

func TestCommandsThatDoNotStart(t *testing.T) {
	for name, command := range map[string][]string{
		"not there":    {filepath.Join(t.TempDir(), "nothing")},
		"ends at once": {os.Args[0], "-test.run=^$"},
	} {
		if _, err := Run(context.Background(), Options{Options: suite.Options{Command: command, Case: "ext.lifecycle.ping", Timeout: 20 * time.Second}}); !errors.Is(err, ErrNoStart) {
			t.Errorf("%s: %v, want an error that the command does not start", name, err)
		}
	}
}

// Every byte of a connection can be kept.
func TestKeepWire(t *testing.T) {
	dir := t.TempDir()
	_, err := Run(context.Background(), Options{Framing: "ndjson", Options: suite.Options{
		Command: []string{program(t), "serve"}, KeepWire: dir, Case: "ext.lifecycle.ping,ext.lifecycle.shutdown-null", Timeout: time.Minute,
	}})
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]string{
		"ext.lifecycle.ping.ndjson.jsonl":          {`"method":"ping"`, `"result":{}`},
		"ext.lifecycle.shutdown-null.ndjson.jsonl": {`"method":"initialize"`, `"execTool"`, `"method":"exit"`},
	} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Error(err)
			continue
		}
		var wire string
		for line := range strings.Lines(string(text)) {
			var l wirelog.Line
			if err := json.Unmarshal([]byte(line), &l); err != nil || l.Text == nil {
				t.Errorf("%s: %q: %v", file, line, err)
				continue
			}
			wire += *l.Text
		}
		for _, w := range want {
			if !strings.Contains(wire, w) {
				t.Errorf("%s lacks %s", file, w)
			}
		}
	}
}

// A vector with a member that has no meaning is refused, and so is one with two forms of test.
func TestVectorsAreReadStrictly(t *testing.T) {
	for name, raw := range map[string]string{
		"unknown member": `{"id":"ext.x.y","steps":[],"colour":1}`,
		"unknown step":   `{"id":"ext.x.y","steps":[{"jump":1}]}`,
		"two forms":      `{"id":"ext.x.y","steps":[],"run":{}}`,
		"no form":        `{"id":"ext.x.y"}`,
	} {
		if v, err := decodeVector(conformance.Vector{Raw: json.RawMessage(raw)}); err == nil {
			t.Errorf("%s: it was read as %+v", name, v)
		}
	}
}
