package hostkit_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/conformance/hostkit"
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/suite"
)

// TestMain lets the test program be the adapter and the fake extension, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "adapter":
			os.Exit(adapterMain(os.Args[2], os.Stdin, os.Stdout))
		case "fake-extension":
			os.Exit(hostkit.Fake(os.Args[2], os.Stdin, os.Stdout))
		}
	}
	os.Exit(m.Run())
}

func options(t *testing.T, fault, glob string) hostkit.Options {
	t.Helper()
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return hostkit.Options{
		Options: suite.Options{Command: []string{me, "adapter", fault}, Case: glob, Jobs: 8}, Fake: []string{me, "fake-extension"},
	}
}

func drive(t *testing.T, fault, glob string) *report.Report {
	t.Helper()
	r, err := hostkit.Run(t.Context(), options(t, fault, glob))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The reference host passes every check.
func TestReferenceHostPasses(t *testing.T) {
	r := drive(t, "", "")
	if len(r.Results) < 100 {
		t.Errorf("only %d checks", len(r.Results))
	}
	for _, res := range r.Results {
		if res.Outcome != report.Pass {
			t.Errorf("%s %s: %s\n%s", res.Outcome, res.ID, res.Title, res.Detail)
		}
	}
}

// Each broken host fails the check meant for it and no other of its area.
func TestBrokenHostsFailTheirCheck(t *testing.T) {
	for fault, want := range map[string]string{
		"hello-without-name":       "host.start.initialize",
		"plan-kept":                "host.prepare.each-request",
		"history-lost":             "host.prepare.history",
		"old-pool-kept":            "host.pool.changed",
		"deny-not-told":            "host.pool.deny",
		"unknown-executed":         "host.call.unknown-leaf",
		"denied-executed":          "host.permission.denied",
		"no-means-yes":             "host.permission.declined",
		"grant-reuse":              "host.grant.reuse",
		"grant-other-arguments":    "host.grant.other-arguments",
		"grant-more-arguments":     "host.grant.more-arguments",
		"grant-other-spelling":     "host.grant.other-spelling",
		"grant-other-call":         "host.grant.other-call",
		"grant-other-leaf":         "host.grant.other-leaf",
		"grant-other-session":      "host.grant.other-session",
		"grant-absent":             "host.grant.absent",
		"grant-invented":           "host.grant.invented",
		"failure-hidden":           "host.run.failed",
		"text-edited":              "host.run.text",
		"whole-session-cancelled":  "host.cancel.ids",
		"all-calls-cancelled":      "host.cancel.one-of-two",
		"second-run-forgotten":     "host.crash.two-runs",
		"unknown-request-answered": "host.hostile.unknown-request",
		"notification-answered":    "host.hostile.unknown-notification",
		"no-shutdown":              "host.stop.goodbye",
		"never-killed":             "host.stop.stubborn",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			area := strings.Join(strings.Split(want, ".")[:2], ".") + ".*"
			if strings.HasPrefix(area, "host.hostile.") {
				area = "host.hostile.[^o]*" // without the 70 MB of oversize, which no fault here touches
			}
			failed := []string{}
			for _, res := range drive(t, fault, area).Results {
				if res.Outcome == report.Fail {
					failed = append(failed, res.ID)
					fmt.Fprintf(t.Output(), "%s\n%s\n", res.ID, res.Detail)
				}
			}
			if !slices.Equal(failed, []string{want}) {
				t.Errorf("want %s to fail alone, failed: %q", want, failed)
			}
		})
	}
}

// A host that cannot do what a check asks for is passed over, also where the check answers initialize itself, and what
// an extension takes is no fault of the host.
func TestWhatIsNoFault(t *testing.T) {
	for fault, want := range map[string]report.Outcome{"in-funnel-only": report.Skip, "params-null": report.Pass} {
		glob := "host.start.separate"
		if want == report.Pass {
			glob = "host.stop.goodbye"
		}
		for _, res := range drive(t, fault, glob).Results {
			if res.Outcome != want {
				t.Errorf("%s: %s %s\n%s", fault, res.Outcome, res.ID, res.Detail)
			}
		}
	}
}

// What passes in a check is kept, in both directions and on both sides.
func TestWireIsKept(t *testing.T) {
	o := options(t, "", "host.call.result")
	o.KeepWire = t.TempDir()
	if _, err := hostkit.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(o.KeepWire, "host.call.result.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"dir":"order"`, `"dir":"event"`, `"dir":"in"`, `"dir":"out"`, `host/callTool`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("no %s in %.300s", part, text)
		}
	}
}

// What is wrong with the options is told apart from what is wrong with the adapter.
func TestWrongOptions(t *testing.T) {
	for name, change := range map[string]func(*hostkit.Options){
		"level": func(o *hostkit.Options) { o.Level = "soup" }, "no such case": func(o *hostkit.Options) { o.Case = "host.soup" },
		"pattern": func(o *hostkit.Options) { o.Case = "[" }, "no adapter": func(o *hostkit.Options) { o.Command = nil },
	} {
		o := options(t, "", "")
		change(&o)
		if _, err := hostkit.Run(t.Context(), o); !errors.Is(err, suite.ErrUsage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, command := range []string{t.TempDir(), "true"} {
		o := options(t, "", "host.call.result")
		o.Command = []string{command}
		if _, err := hostkit.Run(t.Context(), o); !errors.Is(err, hostkit.ErrNoStart) {
			t.Errorf("%s: %v", command, err)
		}
	}
}
