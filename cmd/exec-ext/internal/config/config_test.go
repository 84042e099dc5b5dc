package config

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/exec-ext/exec-ext/hostapi"
)

func mustNew(t *testing.T, raw string) Layers {
	t.Helper()
	l, err := New(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("New(%s): %v", raw, err)
	}
	return l
}

func mustPatch(t *testing.T, l Layers, patch string) Layers {
	t.Helper()
	l, err := l.Patch(json.RawMessage(patch))
	if err != nil {
		t.Fatalf("Patch(%s): %v", patch, err)
	}
	return l
}

func TestDefaults(t *testing.T) {
	for _, raw := range []string{"", "null", "{}", `{"limits":null}`, `{"future":{"a":[1.5]},"all":7}`} {
		got, clamped := mustNew(t, raw).Effective()
		if diff := cmp.Diff(Defaults(), got); diff != "" || clamped != nil {
			t.Errorf("config %q: not the defaults, clamped %v\n%s", raw, clamped, diff)
		}
	}
	if zero, _ := (Layers{}).Effective(); !cmp.Equal(zero, Defaults()) {
		t.Error("the zero Layers are not the defaults")
	}
}

func TestDefaultsAreWithinTheirBounds(t *testing.T) {
	c := Defaults()
	seen := map[*int64]bool{}
	for _, n := range numbers(&c) {
		if n.def < n.min || n.def > n.max || n.min < 0 || seen[n.value] {
			t.Errorf("%s: default %d, bounds %d to %d, repeated %v", n.path, n.def, n.min, n.max, seen[n.value])
		}
		seen[n.value] = true
	}
	raw, _ := json.Marshal(map[string]any{"limits": c.Limits, "catalog": c.Catalog})
	if got, clamped := mustNew(t, string(raw)).Effective(); !cmp.Equal(got, c) || clamped != nil {
		t.Error("defaults written out do not read back as themselves")
	}
}

func TestS9_1_S9_2_S9_3_EnableExecLayers(t *testing.T) {
	for raw, on := range map[string]bool{
		`{}`:                             true,
		`{"enableExec":{}}`:              true,
		`{"enableExec":{"local":false}}`: false,
		`{"enableExec":{"local":true}}`:  true,
		`{"enableExec":{"local":false,"remote":true}}`: true,
		`{"enableExec":{"local":true,"remote":false}}`: false,
		`{"enableExec":{"remote":false}}`:              false,
	} {
		if got, _ := mustNew(t, raw).Effective(); got.EnableExec.On() != on {
			t.Errorf("%s: on is %v", raw, !on)
		}
	}
}

func TestS9_4_PatchTakesEffectBothWays(t *testing.T) {
	l := mustNew(t, `{"enableExec":{"local":false}}`)
	steps := []struct {
		patch string
		on    bool
	}{
		{`{"enableExec":{"remote":true}}`, true},
		{`{"enableExec":{"remote":null}}`, false},
		{`{"enableExec":{"local":null}}`, true},
		{`{"enableExec":{"local":false}}`, false},
		{`{"enableExec":null}`, true},
	}
	for _, step := range steps {
		l = mustPatch(t, l, step.patch)
		if c, _ := l.Effective(); c.EnableExec.On() != step.on {
			t.Fatalf("after %s: on is %v", step.patch, !step.on)
		}
	}
}

func TestS9_5_DisallowedToolsAreReplacedWhole(t *testing.T) {
	l := mustNew(t, `{"disallowedTools":["Exec","mcp__a__*"]}`)
	if c, _ := l.Effective(); !cmp.Equal(c.DisallowedTools, []string{"Exec", "mcp__a__*"}) {
		t.Errorf("got %q", c.DisallowedTools)
	}
	l = mustPatch(t, l, `{"disallowedTools":["mcp__b__c"]}`)
	if c, _ := l.Effective(); !cmp.Equal(c.DisallowedTools, []string{"mcp__b__c"}) {
		t.Errorf("got %q", c.DisallowedTools)
	}
	l = mustPatch(t, l, `{"disallowedTools":null}`)
	if c, _ := l.Effective(); c.DisallowedTools == nil || len(c.DisallowedTools) != 0 {
		t.Errorf("got %#v, want the empty default", c.DisallowedTools)
	}
}

func TestWrongTypesNameTheMember(t *testing.T) {
	for _, c := range []struct{ doc, path, expected string }{
		{`[]`, "", "an object"},
		{`"x"`, "", "an object"},
		{`{`, "", "JSON"},
		{`{"limits":5}`, ".limits", "an object"},
		{`{"limits":[]}`, ".limits", "an object"},
		{`{"limits":{"wallMs":"10"}}`, ".limits.wallMs", "an integer"},
		{`{"limits":{"wallMs":1.5}}`, ".limits.wallMs", "an integer"},
		{`{"limits":{"toolCalls":true}}`, ".limits.toolCalls", "an integer"},
		{`{"catalog":{"depth":{}}}`, ".catalog.depth", "an integer"},
		{`{"enableExec":false}`, ".enableExec", "an object"},
		{`{"enableExec":{"remote":"no"}}`, ".enableExec.remote", "a boolean"},
		{`{"disallowedTools":"Exec"}`, ".disallowedTools", "an array of strings"},
		{`{"disallowedTools":["a",null]}`, ".disallowedTools[1]", "a string"},
		{`{"sandbox":{"webGlobals":1}}`, ".sandbox.webGlobals", "a boolean"},
		{`{"profile":"most"}`, ".profile", `"mcp" or "all"`},
		{`{"resultFormat":"xml"}`, ".resultFormat", `"text" or "structured"`},
		{`{"overlongResult":false}`, ".overlongResult", `"cut" or "fail"`},
	} {
		want := func(root string, err error) {
			t.Helper()
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%s: error is %v", c.doc, err)
			}
			if e.Path != root+c.path || e.Expected != c.expected || e.Kind != KindInvalid || !strings.HasPrefix(e.Message, e.Path) {
				t.Errorf("%s: %+v", c.doc, *e)
			}
		}
		_, err := New(json.RawMessage(c.doc))
		want("$.config", err)

		before := mustNew(t, `{"limits":{"toolCalls":7}}`)
		after, err := before.Patch(json.RawMessage(c.doc))
		want("$.patch", err)
		if !cmp.Equal(before.document, after.document) {
			t.Errorf("%s: the refused patch left traces", c.doc)
		}
	}
}

func TestAPatchWithOneWrongMemberChangesNothing(t *testing.T) {
	l := mustNew(t, `{"limits":{"toolCalls":7}}`)
	before, _ := l.Effective()
	after, err := l.Patch(json.RawMessage(`{"limits":{"toolCalls":9},"enableExec":{"local":false},"catalog":{"depth":"deep"}}`))
	if err == nil {
		t.Fatal("accepted")
	}
	if now, _ := after.Effective(); !cmp.Equal(before, now) {
		t.Error(cmp.Diff(before, now))
	}
}

func TestANullPatchIsRefused(t *testing.T) {
	for _, raw := range []string{"", "null"} {
		if _, err := (Layers{}).Patch(json.RawMessage(raw)); err == nil {
			t.Errorf("patch %q accepted", raw)
		}
	}
}

func TestProfileAllIsNotSupported(t *testing.T) {
	_, err := New(json.RawMessage(`{"profile":"all"}`))
	var e *Error
	if !errors.As(err, &e) || e.Kind != KindNotSupported || e.Path != "$.config.profile" || e.Expected != `"mcp"` {
		t.Errorf("got %+v", err)
	}
	mustNew(t, `{"profile":"mcp"}`)
}

func TestIntegerSpellings(t *testing.T) {
	for spelling, want := range map[string]int64{
		"1000": 1000, "1e3": 1000, "1000.0": 1000, "1.0E+3": 1000, "-0": 0, "-7": -7,
		"9223372036854775807": math.MaxInt64, "9223372036854775808": math.MaxInt64, "1e999": math.MaxInt64,
		"-1e999": math.MinInt64, "1e18": 1e18,
	} {
		if got, ok := integer(spelling); !ok || got != want {
			t.Errorf("%s: got %d, %v; want %d", spelling, got, ok, want)
		}
	}
	for _, spelling := range []string{"1.5", "1e-3", "-0.1", ""} {
		if got, ok := integer(spelling); ok {
			t.Errorf("%s: taken as %d", spelling, got)
		}
	}
}

func TestClampingIsReported(t *testing.T) {
	l := mustNew(t, `{"catalog":{"budgetTokens":0,"depth":-1},"limits":{"wallMs":0,"memoryBytes":1e12,"toolCalls":0,"images":-3}}`)
	c, clamped := l.Effective()
	want := []hostapi.Clamp{
		{Path: "limits.wallMs", Requested: 0, Effective: 1},
		{Path: "limits.images", Requested: -3, Effective: 0},
		{Path: "limits.memoryBytes", Requested: 1e12, Effective: Ceilings().Limits.MemoryBytes},
		{Path: "catalog.depth", Requested: -1, Effective: 1},
	}
	if diff := cmp.Diff(want, clamped); diff != "" {
		t.Error(diff)
	}
	if c.Limits.ToolCalls != 0 || c.Catalog.BudgetTokens != 0 {
		t.Error("a zero that means something was not kept")
	}
	if again, _ := mustPatch(t, l, `{"catalog":{"depth":null}}`).Effective(); again.Catalog.Depth != Defaults().Catalog.Depth {
		t.Error("taking a clamped value back does not give the default")
	}
}

func TestRunLimitsLowerAndRaise(t *testing.T) {
	l := mustNew(t, `{"limits":{"toolCalls":7,"wallMs":9999999999}}`)
	limits, clamped, err := l.RunLimits(json.RawMessage(`{"toolCalls":20,"activeMs":5,"images":null,"memoryBytes":0,"later":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	if limits.ToolCalls != 20 || limits.ActiveMs != 5 || limits.Images != Defaults().Limits.Images || limits.WallMs != Ceilings().Limits.WallMs {
		t.Errorf("got %+v", limits)
	}
	want := []hostapi.Clamp{{Path: "limits.memoryBytes", Requested: 0, Effective: limits.MemoryBytes}}
	if diff := cmp.Diff(want, clamped); diff != "" {
		t.Error(diff)
	}
	for _, none := range []string{"", "null", "{}"} {
		got, clamped, err := l.RunLimits(json.RawMessage(none))
		if c, _ := l.Effective(); got != c.Limits || clamped != nil || err != nil {
			t.Errorf("limits %q: %+v, %v, %v", none, got, clamped, err)
		}
	}
	for doc, path := range map[string]string{`3`: "$.limits", `{"toolCalls":"x"}`: "$.limits.toolCalls", `{"wallMs":0.5}`: "$.limits.wallMs"} {
		var e *Error
		if _, _, err := l.RunLimits(json.RawMessage(doc)); !errors.As(err, &e) || e.Path != path {
			t.Errorf("limits %s: %v", doc, err)
		}
	}
}

func TestChangedPaths(t *testing.T) {
	l := mustNew(t, `{"enableExec":{"local":true},"disallowedTools":["a"]}`)
	before, _ := l.Effective()
	after, _ := mustPatch(t, l, `{"enableExec":{"local":null,"remote":true},"disallowedTools":["a","b"],"catalog":{"depth":3},"limits":{"toolCalls":50}}`).Effective()
	want := []string{"catalog.depth", "disallowedTools", "enableExec.local", "enableExec.remote"}
	if diff := cmp.Diff(want, Changed(before, after)); diff != "" {
		t.Error(diff)
	}
	if same := Changed(before, before); same == nil || len(same) != 0 {
		t.Errorf("nothing changed, got %#v", same)
	}
}

func TestPatchIsRFC7396(t *testing.T) {
	for _, c := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"a":"foo"}`, `{"a":{"x":[null]}}`, `{"a":{"x":[null]}}`},
	} {
		got, err := json.Marshal(mustPatch(t, mustNew(t, c.target), c.patch).document)
		if err != nil || string(got) != c.want {
			t.Errorf("%s + %s = %s, %v; want %s", c.target, c.patch, got, err, c.want)
		}
	}
}

// Any chain of patches leaves every earlier version as it was, and a refused one leaves the newest as it was.
func TestVersionsAreImmutable(t *testing.T) {
	patches := []string{
		`{"enableExec":{"local":false}}`, `{"enableExec":{"remote":true,"local":null}}`, `{"enableExec":null}`,
		`{"limits":{"toolCalls":3,"images":1}}`, `{"limits":{"toolCalls":null}}`, `{"limits":{"images":"x","toolCalls":9}}`,
		`{"disallowedTools":["a"]}`, `{"disallowedTools":null}`, `{"catalog":{"depth":1e9}}`, `{"limits":7}`, `{"x":{"y":null}}`,
	}
	rapid.Check(t, func(t *rapid.T) {
		versions, texts := []Layers{{}}, []string{text(Layers{})}
		for _, patch := range rapid.SliceOfN(rapid.SampledFrom(patches), 1, 12).Draw(t, "patches") {
			newest := versions[len(versions)-1]
			next, err := newest.Patch(json.RawMessage(patch))
			if err != nil && text(next) != text(newest) {
				t.Fatalf("refused %s, yet %s became %s", patch, text(newest), text(next))
			}
			versions, texts = append(versions, next), append(texts, text(next))
		}
		for i, version := range versions {
			if text(version) != texts[i] {
				t.Fatalf("version %d was %s, is %s", i, texts[i], text(version))
			}
		}
	})
}

func text(l Layers) string {
	c, clamped := l.Effective()
	all, err := json.Marshal([]any{l.document, c, clamped})
	if err != nil {
		panic(err)
	}
	return string(all)
}

func FuzzPatch(f *testing.F) {
	for _, seed := range []string{`{"limits":{"wallMs":1e3}}`, `{"enableExec":{"local":null}}`, `[1]`, `{"disallowedTools":["x"]}`, `{"catalog":{"depth":1.0}}`} {
		f.Add(`{}`, seed)
	}
	f.Fuzz(func(t *testing.T, config, patch string) {
		l, err := New(json.RawMessage(config))
		if err != nil {
			return
		}
		next, err := l.Patch(json.RawMessage(patch))
		if err != nil {
			return
		}
		c, _ := next.Effective()
		for _, n := range numbers(&c) {
			if *n.value < n.min || *n.value > n.max {
				t.Errorf("%s is %d", n.path, *n.value)
			}
		}
	})
}

// Every setting can be set, and stands in the effective config where it was set: the document and the config are one
// shape.
func TestEverySettingReadsBackWhereItWasSet(t *testing.T) {
	remote := false
	want := hostapi.Config{
		EnableExec: hostapi.EnableExec{Remote: &remote}, DisallowedTools: []string{"mcp__a__*"}, Profile: "mcp",
		Sandbox: hostapi.Sandbox{WebGlobals: true}, ResultFormat: "structured", OverlongResult: "fail",
	}
	for i, n := range numbers(&want) {
		*n.value = n.min + int64(i) + 1
	}
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, clamped := mustNew(t, string(raw)).Effective()
	if diff := cmp.Diff(want, got); diff != "" || clamped != nil {
		t.Errorf("clamped %v\n%s", clamped, diff)
	}
	if n := len(flatten(want)); n != len(numbers(&want))+6 {
		t.Errorf("%d settings, of which %d are numbers: the test misses some", n, len(numbers(&want)))
	}
}
