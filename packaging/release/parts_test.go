package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestWheelVersion(t *testing.T) {
	for version, want := range map[string]string{"1.2.3": "1.2.3", "1.2.3-rc.4": "1.2.3rc4", "0.1.0-alpha.0": "0.1.0a0", "1.0.0-beta.12": "1.0.0b12"} {
		if got := wheelVersion(version); got != want {
			t.Errorf("wheelVersion(%q) = %q, want %q", version, got, want)
		}
	}
}

func TestReleaseRefuses(t *testing.T) {
	for _, o := range []Options{
		{Version: "1.2"}, {Version: "v1.2.3"}, {Version: "1.2.3-dev"}, {Targets: []string{"plan9/amd64"}}, {Root: "nowhere"},
	} {
		if o.Root == "" {
			o.Root = "../.."
		}
		o.Out = t.TempDir()
		if err := Release(o); err == nil {
			t.Errorf("Release(%+v) made one", o)
		}
		if made := listed(t, o.Out); len(made) > 0 {
			t.Errorf("Release(%+v) left %v", o, made)
		}
	}
}

// The order of members survives: in a package's "exports" it decides which file is taken.
func TestPublishedManifest(t *testing.T) {
	b := &build{version: "2.0.0", all: []target{{OS: "linux", CPU: "x64"}, {OS: "win32", CPU: "arm64"}}}
	const source = `{"name":"x","version":"0.0.0","exports":{".":{"types":"a","default":"b"}},"scripts":{"a":"b"},"dependencies":{"d":"1"},"devDependencies":{"e":"1"}}`
	got, err := b.publishedManifest([]byte(source), map[string]string{"d": "1"})
	if err != nil {
		t.Fatal(err)
	}
	var flat bytes.Buffer
	if err := json.Compact(&flat, got); err != nil {
		t.Fatal(err)
	}
	const want = `{"name":"x","version":"2.0.0","exports":{".":{"types":"a","default":"b"}},"dependencies":{"d":"1"},` +
		`"bundleDependencies":["d"],"optionalDependencies":{"@exec-ext/linux-x64":"2.0.0","@exec-ext/win32-arm64":"2.0.0"}}`
	if strings.TrimSpace(flat.String()) != want {
		t.Errorf("got  %s\nwant %s", flat.String(), want)
	}
}

func TestSPDXKnowsNoLicenceByGuess(t *testing.T) {
	for text, want := range map[string]string{
		"Mozilla Public License Version 2.0":           "MPL-2.0",
		"All rights reserved.":                         "",
		"GNU GENERAL PUBLIC LICENSE Version 3":         "",
		"Apache License\n   Version 2.0, January 2004": "Apache-2.0",
	} {
		if got := spdx(text); got != want {
			t.Errorf("spdx(%q) = %q, want %q", text, got, want)
		}
	}
}
