package refhost

import (
	"encoding/json"
	"testing"
)

func TestS8_2_RulesThatDecideNothingAreFound(t *testing.T) {
	pool := []json.RawMessage{
		json.RawMessage(`{"name":"mcp__files__write_file","inputSchema":{"type":"object","properties":{"path":{},"content":{}}}}`),
		json.RawMessage(`{"name":"mcp__files__move","inputSchema":{"type":"object","properties":{"from":{},"to":{}},"additionalProperties":false}}`),
		json.RawMessage(`{"name":"mcp__db__query","inputSchema":{"type":"object"}}`),
		json.RawMessage(`{"name":"mcp__db__more","inputSchema":{"properties":{"a":{}},"additionalProperties":true}}`),
		json.RawMessage(`{"name":"mcp__db__any","inputSchema":{"properties":{"a":{}},"anyOf":[{"properties":{"b":{}}}]}}`),
		json.RawMessage(`{"name":"mcp__odd__schema","inputSchema":true}`),
	}
	for rule, want := range map[string]string{
		"mcp__files__write_file":           "",
		"mcp__*":                           "",
		"*":                                "",
		"Exec":                             "",
		"mcp__files__write_file(path=*)":   "",
		"mcp__db__query(anything=*)":       "",
		"mcp__db__more(anything=*)":        "",
		"mcp__db__any(b=*)":                "",
		"mcp__odd__schema(x=*)":            "",
		"mcp__files__*(to=*)":              "",
		"mcp__file__*":                     "no tool that is connected now has such a name",
		"mcp__files__writefile(path=*)":    `no tool that is connected now has such a name; did you mean "mcp__files__write_file"?`,
		"mcp__files__write_file(pth=*)":    `mcp__files__write_file has no parameter "pth"; did you mean "path"?`,
		"mcp__files__move(everything=yes)": `mcp__files__move has no parameter "everything"`,
		"mcp__files__*(pth=*)":             `none of the 2 tools that it names has a parameter "pth"; did you mean "path"?`,
	} {
		got := ""
		for _, idle := range IdleRules(rules(t, rule), pool) {
			got = idle.Why
		}
		if got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}

func TestS8_3_ARuleAboutNoToolIsRefused(t *testing.T) {
	for _, text := range []string{"files__write*", "files__write", "Mcp__a__b", "mcp_a__b", "x*mcp__a", "mcpx*", "exec", "Exec(code=*)", "Ex*"} {
		if _, err := ParseRule(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	for _, text := range []string{"Exec", "mcp__a__b", "mcp__*", "*", "*__write*", "mc*", "mcp__a*(x=y)"} {
		if _, err := ParseRule(text); err != nil {
			t.Error(err)
		}
	}
}
