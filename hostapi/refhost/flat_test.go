package refhost

import "testing"

func TestS1_3_FlattenKeepsEveryOtherByte(t *testing.T) {
	for _, tc := range []struct{ in, own, want string }{
		{`{"name":"a"}`, "a", `{"name":"mcp__s__a"}`},
		{`{ "z":1.0, "name" : "é<b>" ,"inputSchema":{"name":"x","n":1e2} }`, "é<b>", `{ "z":1.0, "name" : "mcp__s__é\u003cb\u003e" ,"inputSchema":{"name":"x","n":1e2} }`},
		{`{"name":"first","name":"last"}`, "last", `{"name":"first","name":"mcp__s__last"}`},
	} {
		got, err := flatten("s", []byte(tc.in))
		if err != nil {
			t.Fatal(err)
		}
		if got.own != tc.own || string(got.raw) != tc.want {
			t.Errorf("%s: own %q, raw %s; want %s", tc.in, got.own, got.raw, tc.want)
		}
	}
	for _, in := range []string{`[]`, `{}`, `{"name":7}`, `{"name":""}`, `{"name":"a"`, ``} {
		if got, err := flatten("s", []byte(in)); err == nil {
			t.Errorf("%s gave %s", in, got.raw)
		}
	}
}
