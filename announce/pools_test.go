package announce

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/exec-ext/exec-ext/catalog"
)

// toolJSON is a tool as tools/list sends it.
func toolJSON(name, description string, fields int) json.RawMessage {
	properties := map[string]any{}
	for i := range fields {
		properties[fmt.Sprintf("field%02d", i)] = map[string]any{"type": "string", "description": "what goes into field " + fmt.Sprint(i)}
	}
	raw, err := json.Marshal(map[string]any{"name": name, "description": description,
		"inputSchema": map[string]any{"type": "object", "properties": properties}})
	if err != nil {
		panic(err)
	}
	return raw
}

// A share is what one server has in a pool: so many tools, in an edition of their descriptions.
type share struct {
	server  string
	tools   int
	edition string
}

func poolOf(t testing.TB, deny []string, shares ...share) *catalog.Pool {
	t.Helper()
	snapshot := catalog.Snapshot{Deny: deny}
	for _, s := range shares {
		for i := range s.tools {
			snapshot.Tools = append(snapshot.Tools,
				toolJSON(fmt.Sprintf("mcp__%s__tool%02d", s.server, i), fmt.Sprintf("does thing %d%s", i, s.edition), 3))
		}
	}
	pool, warnings := catalog.NewPool(snapshot)
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	return pool
}

// smallPools are the pools of the model-view test: no, one and several servers, with counts and descriptions that
// change apart from each other, and denials.
func smallPools(t testing.TB) []*catalog.Pool {
	pools := []*catalog.Pool{
		poolOf(t, nil),
		poolOf(t, []string{"mcp__*"}, share{"git", 2, ""}),
		poolOf(t, nil, share{"git", 1, ""}),
		poolOf(t, nil, share{"git", 1, " better"}),
		poolOf(t, []string{"mcp__git__tool01", "mcp__web__*"}, share{"git", 9, ""}, share{"web", 3, ""}),
	}
	var old, young []share // so many that a difference between them does not pay
	for i := range 24 {
		old = append(old, share{fmt.Sprintf("the-older-server-with-a-long-name-%02d", i), 1, ""})
		young = append(young, share{fmt.Sprintf("the-younger-server-with-a-long-name-%02d", i), 1, ""})
	}
	pools = append(pools, poolOf(t, nil, old...), poolOf(t, nil, young...))
	for _, git := range []int{8, 9} {
		for _, web := range []int{0, 1, 7} {
			for _, edition := range []string{"", " better"} {
				pools = append(pools,
					poolOf(t, nil, share{"git", git, edition}, share{"web", web, ""}, share{"mail-box", 6, ""}),
					poolOf(t, nil, share{"git", git, ""}, share{"web", web, edition}, share{"Docs", 2, ""}))
			}
		}
	}
	return pools
}
