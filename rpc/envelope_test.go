package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const ping = `{"jsonrpc":"2.0","id":"p","method":"ping"}`
const pong = `{"jsonrpc":"2.0","id":"p","result":{}}`

func answerPing(*Conn) Table {
	return Table{"ping": func(context.Context, json.RawMessage) Job {
		return Urgent(func(context.Context) (any, error) { return struct{}{}, nil })
	}}
}

// refused is the answer to a malformed message.
func refused(id string, code int, kind, message string) string {
	m, _ := json.Marshal(message)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s,"data":{"kind":%q,"retryable":false}}}`, id, code, m, kind)
}

type malformedCase struct{ send, want string }

func malformedCases() []malformedCase {
	deep := strings.Repeat("[", 10000) + strings.Repeat("]", 10000)
	notJSON := refused("null", CodeParse, "parse_error", "message is not JSON")
	shape := func(id, message string) string { return refused(id, CodeInvalidRequest, "invalid_request", message) }
	return []malformedCase{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"`, notJSON},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"]`, notJSON},
		{`{"jsonrpc":"2.0","id":1,"method":"ping",}`, notJSON},
		{`{'jsonrpc':"2.0"}`, notJSON},
		{`{"jsonrpc":"2.0","id":01,"method":"ping"}`, notJSON},
		{`{"jsonrpc":"2.0","id":NaN,"method":"ping"}`, notJSON},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":}}`, notJSON},
		{`}`, notJSON},
		{`nonsense`, notJSON},
		{`[1,2`, notJSON},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[\"\xff\"]}", refused("null", CodeParse, "parse_error", "message is not UTF-8")},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[\"\x01\"]}", notJSON},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, refused("null", CodeParse, "parse_error", "bytes behind the message")},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}}`, refused("null", CodeParse, "parse_error", "bytes behind the message")},
		{`[]`, shape("null", "message is not an object; batches are not supported")},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, shape("null", "message is not an object; batches are not supported")},
		{`"ping"`, shape("null", "message is not an object; batches are not supported")},
		{`7`, shape("null", "message is not an object; batches are not supported")},
		{`null`, shape("null", "message is not an object; batches are not supported")},
		{`{}`, shape("null", `jsonrpc is not "2.0"`)},
		{`{"jsonrpc":"2.0"}`, shape("null", "message is neither request nor answer")},
		{`{"jsonrpc":"2.0","id":7}`, shape("7", "message is neither request nor answer")},
		{`{"id":1,"method":"ping"}`, shape("1", `jsonrpc is not "2.0"`)},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, shape("1", `jsonrpc is not "2.0"`)},
		{`{"jsonrpc":2.0,"id":1,"method":"ping"}`, shape("1", `jsonrpc is not "2.0"`)},
		{`{"jsonrpc":"1.0","method":"ping"}`, shape("null", `jsonrpc is not "2.0"`)},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, shape("null", "id is neither a string nor a number")},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, shape("null", "id is neither a string nor a number")},
		{`{"jsonrpc":"2.0","id":[1],"method":"ping"}`, shape("null", "id is neither a string nor a number")},
		{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, shape("null", "id is neither a string nor a number")},
		{`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", headBytes) + `","method":"ping"}`, shape("null", "id is neither a string nor a number")},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, shape("1", "method is not a name")},
		{`{"jsonrpc":"2.0","id":1,"method":null}`, shape("1", "method is not a name")},
		{`{"jsonrpc":"2.0","id":1,"method":""}`, shape("1", "method is not a name")},
		{`{"jsonrpc":"2.0","id":1,"method":["ping"]}`, shape("1", "method is not a name")},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, shape("1", "message is both request and answer")},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, shape("null", "member id comes twice")},
		{`{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"ping"}`, shape("null", "member id comes twice")},
		{`{"jsonrpc":"2.0","id":1,"id":1.0,"method":"ping"}`, shape("1.0", "member id comes twice")},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","method":"pong"}`, shape("1", "member method comes twice")},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + deep + `}`, shape("1", "message is nested too deeply")},
		{`{"jsonrpc":"2.0","method":"ping","params":` + deep + `,"id":1}`, shape("null", "message is nested too deeply")},
		{strings.Repeat("[", 1<<20), shape("null", "message is nested too deeply")},
		{strings.Repeat(`{"":`, 1<<20), shape("null", "message is nested too deeply")},
		{`{"jsonrpc":"2.0","id":[],"result":1}`, shape("null", "answer has no usable id")},
		{`{"jsonrpc":"2.0","result":1}`, shape("null", "answer has no usable id")},
		{`{"jsonrpc":"3.0","id":5,"result":1}`, shape("null", `jsonrpc is not "2.0"`)},
		{`{"jsonrpc":"2.0","id":1,"method":"absent"}`, refused("1", CodeMethodNotFound, "method_not_found", "no such method")},
		{`{"jsonrpc":"2.0","id":1,"method":"$/cancelRequest","params":{"id":1}}`, refused("1", CodeMethodNotFound, "method_not_found", "no such method")},
	}
}

func TestServe_AnswersMalformedMessagesAndLivesOn(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, answerPing)
		for _, c := range malformedCases() {
			p.send(c.send)
			p.want(c.want)
			p.send(ping)
			p.want(pong)
		}
	})
}

// What needs no answer gets none, and harms nothing.
func TestServe_IgnoresWhatNeedsNoAnswer(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, answerPing)
		for _, text := range []string{
			`{"jsonrpc":"2.0","method":"absent","params":{}}`,
			`{"jsonrpc":"2.0","method":"$/cancelRequest"}`,
			`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":{}}}`,
			`{"jsonrpc":"2.0","method":"$/cancelRequest","params":[7]}`,
			`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}`,
			`{"jsonrpc":"2.0","id":null,"result":{}}`,
			`{"jsonrpc":"2.0","id":0,"result":{}}`,
			`{"jsonrpc":"2.0","id":"x","error":"?"}`,
			`{"jsonrpc":"2.0","method":"ping"}`,
		} {
			p.send(text)
		}
		p.send(ping)
		p.want(pong)
	})
}

func TestServe_UnusualButGoodMessages(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, answerPing)
		for _, text := range []string{
			" \t" + ping + "  ",
			`{ "method" : "ping" , "id" : "p" , "jsonrpc" : "2.0" }`,
			`{"\u006asonrpc":"\u0032.0","id":"p","method":"p\u0069ng"}`,
			`{"jsonrpc":"2.0","id":"p","method":"ping","x":1,"x":2,"meta":{"a":[]}}`,
			`{"jsonrpc":"2.0","id":"p","method":"ping","params":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`,
		} {
			p.send(text)
			p.want(pong)
		}
	})
}

func TestIDKey(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"1", "1.0", "1e0", "10e-1", "0.1e1"},
		{"0", "-0", "0.0", "0e9"},
		{"-1", "-1.0"},
		{"100", "1e2"},
		{`"a"`, `"\u0061"`},
		{`"1"`, `"\u0031"`},
		{"9007199254740993", "9007199254740993.0"},
		{"9007199254740992"},
		{"1e400"}, {"1e401"}, {"1e999999999999"}, {"1e-400"}, {"0.1"}, {`"\ud800"`}, {`""`},
		{strings.Repeat("9", 300)},
	} {
		for _, a := range same {
			if got, want := idKey(json.RawMessage(a)), idKey(json.RawMessage(same[0])); got != want {
				t.Errorf("idKey(%s) = %q, idKey(%s) = %q", a, got, same[0], want)
			}
		}
	}
	seen := map[string]string{}
	for _, id := range []string{"1", "-1", "0", `"1"`, `"a"`, "1.5", "9007199254740993", "9007199254740992", "1e400", "1e401", "100"} {
		key := idKey(json.RawMessage(id))
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have the key %q", id, other, key)
		}
		seen[key] = id
	}
}
