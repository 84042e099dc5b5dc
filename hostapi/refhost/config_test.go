package refhost

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
)

func environment(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

func TestConfig_ReadsBothMembersAndAllTransports(t *testing.T) {
	got, notes, err := parseConfig([]byte(`{
		"mcpServers": {
			"files": {"command": "${BIN:-node}", "args": ["fs.js", "${HOME}/x"], "env": {"K": "${env:TOKEN}"}, "cwd": "/srv", "autoApprove": []},
			"off": {"command": "nope", "disabled": true, "comand": 1},
			"off2": {"command": "nope", "enabled": false}
		},
		"servers": {
			"web": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
			"web2": {"type": "streamable-http", "url": "https://example.com/mcp", "enabled": true},
			"web3": {"serverUrl": "https://example.com/mcp"},
			"web4": {"httpUrl": "https://example.com/mcp"},
			"old": {"type": "sse", "url": "https://example.com/sse"}
		}
	}`), environment(map[string]string{"HOME": "/home/me", "TOKEN": "", "BIN": ""}))
	if err != nil {
		t.Fatal(err)
	}
	none := map[string]string{}
	want := []Spec{
		{Name: "files", Transport: "stdio", Command: "node", Args: []string{"fs.js", "/home/me/x"}, Env: map[string]string{"K": ""}, Dir: "/srv", Headers: none},
		{Name: "old", Transport: "sse", URL: "https://example.com/sse", Env: none, Headers: none},
		{Name: "web", Transport: "http", URL: "https://example.com/mcp", Env: none, Headers: map[string]string{"Authorization": "Bearer "}},
		{Name: "web2", Transport: "http", URL: "https://example.com/mcp", Env: none, Headers: none},
		{Name: "web3", Transport: "http", URL: "https://example.com/mcp", Env: none, Headers: none},
		{Name: "web4", Transport: "http", URL: "https://example.com/mcp", Env: none, Headers: none},
	}
	if len(notes) > 0 {
		t.Errorf("notes: %q", notes)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// goWords are the names of types, which no user knows.
var goWords = regexp.MustCompile(`\[\]\w|map\[|struct|json:|refhost\.|&\{|unmarshal`)

func TestConfig_MembersWithoutEffectAreNamed(t *testing.T) {
	for name, tc := range map[string]struct{ file, want string }{
		"misspelt":       {`{"mcpServers": {"a": {"command": "x", "evn": {}, "Args": []}}}`, `server "a": the member "evn" is not known and has no effect; did you mean "env"?`},
		"unheard of":     {`{"mcpServers": {"a": {"command": "x", "frobnicate": 1}}}`, `server "a": the member "frobnicate" is not known and has no effect`},
		"other hosts'":   {`{"servers": {"a": {"command": "x", "alwaysAllow": ["b"], "timeout": 60, "gallery": "https://x"}}}`, `server "a": not used here: "alwaysAllow" (use --allow), "gallery", "timeout" (use --connect-timeout and --call-timeout)`},
		"saying nothing": {`{"servers": {"a": {"command": "x", "autoApprove": [], "trust": false, "envFile": ""}}, "inputs": [], "$schema": "x"}`, ""},
		"an env file":    {`{"servers": {"a": {"command": "x", "envFile": ".env"}}}`, `server "a": not used here: "envFile" (put the variables into "env")`},
		"inputs":         {`{"servers": {}, "inputs": [{"id": "t"}]}`, "not used here: \"inputs\" (write variables of the environment, as ${TOKEN}, in the place of ${input:…})"},
		"misspelt list":  {`{"mcpServer": {}, "servers": {}}`, `the member "mcpServer" is not known and has no effect; did you mean "mcpServers"?`},
		"a whole file":   {`{"mcpServers": {}, "globalShortcut": "x", "preferences": {}}`, `not used here: "globalShortcut", "preferences"`},
		"a large file": {`{"mcpServers": {}, "k0":1,"k1":1,"k2":1,"k3":1,"k4":1,"k5":1,"k6":1,"k7":1,"k8":1,"k9":1}`,
			`not used here: "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", and 2 more`},
	} {
		_, notes, err := parseConfig([]byte(tc.file), environment(nil))
		if got := strings.Join(notes, "\n"); err != nil || got != tc.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tc.want)
		}
	}
}

// Every member that an entry reads is known by name.
func TestConfig_WhatIsReadIsKnown(t *testing.T) {
	known := shapes(members())
	for f := range reflect.TypeFor[entry]().Fields() {
		if name := f.Tag.Get("json"); known[name] == "" {
			t.Errorf("%s has no shape", name)
		}
	}
}

// faultCase is a file, and what must be said of it.
type faultCase struct {
	file string
	want []string
}

func (c faultCase) hold(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range c.want {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
	if goWords.MatchString(err.Error()) {
		t.Errorf("error %q speaks Go", err)
	}
}

func TestConfig_FaultsOfTheFileNameTheirPlace(t *testing.T) {
	for name, tc := range map[string]faultCase{
		"not JSON":             {"{\n\"mcpServers\": {\n  oops\n}}", []string{"line 3: invalid literal: oops"}},
		"not JSON, commented":  {"{ // one\n/* two\n three */ \"mcpServers\": {\n  oops\n}}", []string{"line 4: invalid literal: oops"}},
		"an open comment":      {"{\n/* \"mcpServers\": {}}", []string{"line 2: parsing comment"}},
		"a list of servers":    {`{"mcpServers": [{"name": "a"}]}`, []string{"mcpServers must be an object with a server for each name, but there is a list"}},
		"a list alone":         {`[]`, []string{"line 1: an object must stand there, not a list"}},
		"a list after comment": {"// one\n{\"servers\": [\n],}", []string{"line 2: servers must be an object"}},
		"an input":             {`{"servers": {"a": {"command": "x", "env": {"K": "${input:token}"}}}}`, []string{`server "a": env.K: nobody is asked for ${input:token} here`}},
		"no member":            {`{"mcp": {}}`, []string{`"mcpServers"`, `"servers"`}},
		"missing variable":     {`{"mcpServers": {"a": {"command": "x", "env": {"K": "${NOPE}"}}, "b": {}}}`, []string{`server "a"`, "env.K", "the variable NOPE is not set"}},
		"all of them": {`{"mcpServers": {"a": {"command": "${ONE}"}, "b": {"url": "${TWO}"}}}`,
			[]string{`server "a": command: the variable ONE`, `server "b": url: the variable TWO`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := parseConfig([]byte(tc.file), environment(nil))
			tc.hold(t, err)
		})
	}
}

// An entry that cannot be used is one server that is left out, and says why: the others stay.
func TestE_AFaultOfOneEntryLeavesTheOthers(t *testing.T) {
	for name, tc := range map[string]faultCase{
		"wrong type":            {"{\"mcpServers\": {\n\"a\": {\"args\": \"x\"}, \"z\": {\"command\": \"x\"}}}", []string{"line 2: args must be a list of strings, but there is a string"}},
		"wrong type, commented": {"{\"mcpServers\": { // one\n/* two */\n\"a\": {\"args\": \"x\",}, \"z\": {\"command\": \"x\"},},}", []string{"line 3: args must be a list"}},
		"wrong type inside":     {`{"mcpServers": {"a": {"command": "x", "env": {"PORT": 80}}, "z": {"command": "x"}}}`, []string{`line 1: env must be an object whose values are strings, but there is a number`}},
		"wrong flag":            {"{\"servers\": {\"z\": {\"command\": \"x\"},\n\"a\": {\"disabled\": \"yes\"}}}", []string{`line 2: disabled must be true or false, but there is a string`}},
		"no object":             {`{"servers": {"a": [], "z": {"command": "x"}}}`, []string{`an object must stand there, not a list`}},
		"unknown transport":     {`{"mcpServers": {"a": {"type": "websocket", "url": "ws://x"}, "z": {"command": "x"}}}`, []string{`"websocket"`, "stdio, http or sse"}},
		"neither":               {`{"mcpServers": {"a": {}, "z": {"command": "x"}}}`, []string{`neither "command" nor "url"`}},
		"http without url":      {`{"mcpServers": {"a": {"type": "http"}, "z": {"command": "x"}}}`, []string{`type "http" needs "url"`}},
		"no name":               {`{"mcpServers": {"": {"command": "x"}, "z": {"command": "x"}}}`, []string{`its name is empty`}},
	} {
		t.Run(name, func(t *testing.T) {
			specs, _, err := parseConfig([]byte(tc.file), environment(nil))
			if err != nil || len(specs) != 2 || specs[1].Name != "z" || specs[1].Fault != nil {
				t.Fatalf("%+v, %v", specs, err)
			}
			tc.hold(t, specs[0].Fault)
			_, err = connect(t.Context(), specs[0].Source(), mcp.Implementation{}, func() {})
			tc.hold(t, err)
		})
	}
}

func TestConfig_CommentsAndTrailingCommasMayStand(t *testing.T) {
	specs, notes, err := parseConfig([]byte("\ufeff"+`// of an editor
{
	/* the servers */
	"servers": {
		"a": {"command": "x", "args": ["// no comment", "b",], /* "args": [] */},
	},
}
`), environment(nil))
	if err != nil || len(notes) != 0 || len(specs) != 1 || !slices.Equal(specs[0].Args, []string{"// no comment", "b"}) {
		t.Errorf("%+v, %q, %v", specs, notes, err)
	}
}
