package config

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnknownMembersAreNamed(t *testing.T) {
	for doc, want := range map[string][]string{
		``: nil, `null`: nil, `[1]`: nil, `{"a`: nil, `{}`: nil,
		`{"enableExec":{"local":true,"remote":null},"limits":{"wallMs":1},"catalog":{},"sandbox":{"webGlobals":true},"all":{"files":null},"profile":"mcp"}`: nil,
		`{"Limits":{"x":1}}`:       {`the member "Limits" is not known and has no effect; did you mean "limits"?`},
		`{"limits":{"wallms":1}}`:  {`the member "limits.wallms" is not known and has no effect; did you mean "limits.wallMs"?`},
		`{"zzz":1,"enableExec":1}`: {`the member "zzz" is not known and has no effect`},
		`{"sandbox":{"network":true},"catalog":{"dept":1}}`: {
			`the member "catalog.dept" is not known and has no effect; did you mean "catalog.depth"?`,
			`the member "sandbox.network" is not known and has no effect`,
		},
	} {
		if diff := cmp.Diff(want, Unknown(json.RawMessage(doc))); diff != "" {
			t.Errorf("%s: %s", doc, diff)
		}
	}
}
