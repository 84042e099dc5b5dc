package refhost

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func environment(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

func TestConfig_ReadsBothMembersAndAllTransports(t *testing.T) {
	got, err := parseConfig([]byte(`{
		"mcpServers": {
			"files": {"command": "${BIN:-node}", "args": ["fs.js", "${HOME}/x"], "env": {"K": "${env:TOKEN}"}, "cwd": "/srv", "autoApprove": []},
			"off": {"command": "nope", "disabled": true}
		},
		"servers": {
			"web": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
			"web2": {"type": "streamable-http", "url": "https://example.com/mcp"},
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
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestConfig_FaultsNameTheirPlace(t *testing.T) {
	for name, tc := range map[string]struct {
		file string
		want []string
	}{
		"not JSON":         {"{\n\"mcpServers\": {\n  oops\n}}", []string{"line 3:"}},
		"wrong type":       {"{\"mcpServers\": {\n\"a\": {\"args\": \"x\"}}}", []string{"line 2:", "args must be of type []string, not string"}},
		"no member":        {`{"mcp": {}}`, []string{`"mcpServers"`, `"servers"`}},
		"missing variable": {`{"mcpServers": {"a": {"command": "x", "env": {"K": "${NOPE}"}}}}`, []string{`server "a"`, "env.K", "the variable NOPE is not set"}},
		"all of them": {`{"mcpServers": {"a": {"command": "${ONE}"}, "b": {"url": "${TWO}"}}}`,
			[]string{`server "a": command: the variable ONE`, `server "b": url: the variable TWO`}},
		"unknown transport": {`{"mcpServers": {"a": {"type": "websocket", "url": "ws://x"}}}`, []string{`server "a"`, `"websocket"`, "stdio, http or sse"}},
		"neither":           {`{"mcpServers": {"a": {}}}`, []string{`server "a"`, `neither "command" nor "url"`}},
		"http without url":  {`{"mcpServers": {"a": {"type": "http"}}}`, []string{`type "http" needs "url"`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseConfig([]byte(tc.file), environment(nil))
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q lacks %q", err, want)
				}
			}
		})
	}
}
