package refhost

import (
	"encoding/json"
	"testing"
)

func TestS8_2_RulesMatchLeafNameAndLeafArguments(t *testing.T) {
	for _, tc := range []struct {
		rule, name, args string
		want             bool
	}{
		{"mcp__files__read", "mcp__files__read", `{}`, true},
		{"mcp__files__read", "mcp__files__read_all", `{}`, false},
		{"mcp__files__*", "mcp__files__read", `{}`, true},
		{"mcp__files__*", "mcp__files2__read", `{}`, false},
		{"mcp__*", "mcp__a__b", `{}`, true},
		{"mcp__files__write(path=/srv/*)", "mcp__files__write", `{"path":"/srv/a\nb"}`, true},
		{"mcp__files__write(path=/srv/*)", "mcp__files__write", `{"path":"/etc/passwd"}`, false},
		{"mcp__files__write(path=/srv/*)", "mcp__files__write", `{}`, false},
		{"mcp__db__query(limit=10)", "mcp__db__query", `{"limit": 10}`, true},
		{`mcp__db__query(filter={"a":1})`, "mcp__db__query", `{"filter": {"a" : 1}}`, true},
		{"mcp__a.b__c", "mcp__aXb__c", `{}`, false},
		{"Exec", "mcp__files__read", `{}`, false},
	} {
		r, err := ParseRule(tc.rule)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.matches(tc.name, json.RawMessage(tc.args)); got != tc.want {
			t.Errorf("%s matches %s %s = %v", tc.rule, tc.name, tc.args, got)
		}
	}
}

func TestRule_MalformedOnesShowHowToWriteThem(t *testing.T) {
	for _, text := range []string{"", "(a=b)", "mcp__a__b(c", "mcp__a__b(c)", "mcp__a__b(=c)"} {
		if _, err := ParseRule(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
