package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/conformance/schema"
)

func validator(t *testing.T) *schema.Validator {
	t.Helper()
	v, err := schema.New()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Schemas are strict on what the extension sends and lenient on what it receives.
func TestParamsAndResults(t *testing.T) {
	v := validator(t)
	for _, c := range []struct {
		name, from, method, kind, raw string
		says                          string // "" = valid
	}{
		{"params of the host", "host", "exec/cancel", "params", `{"sessionId":"s"}`, ""},
		{"further members of the host", "host", "exec/cancel", "params", `{"sessionId":"s","more":1}`, ""},
		{"a member of the wrong type", "host", "exec/cancel", "params", `{"sessionId":7}`, "sessionId"},
		{"a member that is missing", "host", "exec/run", "params", `{"sessionId":"s"}`, "runId"},
		{"no params at all", "host", "ping", "params", ``, ""},
		{"the extension's params", "extension", "exec/progress", "params", `{"sessionId":"s","runId":"r","seq":1,"summary":{"text":"x","total":0,"state":"running"}}`, ""},
		{"further members of the extension", "extension", "exec/progress", "params", `{"sessionId":"s","runId":"r","seq":1,"summary":{"text":"x","total":0,"state":"running"},"more":1}`, "more"},
		{"a word that does not exist", "extension", "exec/progress", "params", `{"sessionId":"s","runId":"r","seq":1,"summary":{"text":"x","total":0,"state":"asleep"}}`, "state"},
		{"a result of the extension", "host", "ping", "result", `{}`, ""},
		{"shutdown gives null", "host", "shutdown", "result", `null`, ""},
		{"shutdown gives no object", "host", "shutdown", "result", `{}`, "null"},
		{"a result of the host", "extension", "host/callTool", "result", `{"outcome":"result","result":{},"more":1}`, ""},
		{"an outcome that does not exist", "extension", "host/callTool", "result", `{"outcome":"perhaps"}`, "outcome"},
		{"a notification has no result", "host", "exec/cancel", "result", `{}`, "not answered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := v.Params
			if c.kind == "result" {
				check = v.Result
			}
			var raw []byte
			if c.raw != "" {
				raw = []byte(c.raw)
			}
			err := check(c.from, c.method, raw)
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
	if err := v.Params("host", "host/pool", nil); !errors.Is(err, schema.ErrUnknownMethod) {
		t.Errorf("a method in the wrong direction: %v", err)
	}
}

func TestParse(t *testing.T) {
	for raw, says := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                             "",
		`{"jsonrpc":"2.0","id":"a","result":null}`:                             "",
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`:    "",
		`{"jsonrpc":"2.0","method":"exit"}`:                                    "",
		`{"id":1,"method":"ping"}`:                                             "jsonrpc",
		`{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}`:                   "no meaning",
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`:                      "twice",
		`{"jsonrpc":"2.0","id":[1],"method":"ping"}`:                           "neither text nor number",
		`{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"x"}}`: "either",
		`{"jsonrpc":"2.0","id":1}`:                                             "either",
		`{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"x"}}`:          "code",
		`{"jsonrpc":"2.0","id":1,"method":"a","result":1}`:                     "both",
		`[]`: "no object",
		`{"jsonrpc":"2.0","id":1,"method":"ping"} 1`: "follows",
		"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}":      "UTF-8",
		`{"jsonrpc"`:                                 "no JSON",
	} {
		if _, err := schema.Parse([]byte(raw)); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", raw, err, says)
		}
	}
}

// Answers belong to requests: once each, and none without.
func TestConversation(t *testing.T) {
	c := schema.NewConversation(validator(t))
	host := func(raw, says string) { hold(t, "host", raw, says, c.Host) }
	extension := func(raw, says string) { hold(t, "extension", raw, says, c.Extension) }
	host(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`, "")
	extension(`{"jsonrpc":"2.0","id":1,"result":{"more":1}}`, "result of shutdown")
	extension(`{"jsonrpc":"2.0","id":1,"result":{}}`, "twice")
	extension(`{"jsonrpc":"2.0","id":2,"result":{}}`, "not asked")
	extension(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x","data":{"kind":"k","retryable":false}}}`, "id null")
	host(`{"jsonrpc":"2.0","id":3,"method":"exec/cancel","params":{"sessionId":"s"}}`, "wrong one of request and notification")
	host(`{"jsonrpc":"2.0","id":4,"method":"ping"}`, "")
	extension(`{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"x"}}`, "kind and retryable")
	extension(`{"jsonrpc":"2.0","id":1,"method":"host/pool","params":{"sessionId":"s","purpose":"run"}}`, "")
	host(`{"jsonrpc":"2.0","id":1,"result":{"status":"ok"}}`, "")
	c.Loosen()
	extension(`{"jsonrpc":"2.0","id":"ghost","result":{}}`, "")
	c.Tighten()
	extension(`{"jsonrpc":"2.0","id":"ghost","result":{}}`, "not asked")
}

func hold(t *testing.T, who, raw, says string, look func([]byte) (schema.Message, error)) {
	t.Helper()
	_, err := look([]byte(raw))
	if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %s: %v, want %q", who, raw, err, says)
	}
}
