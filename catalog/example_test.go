package catalog_test

import (
	"encoding/json"
	"fmt"

	"github.com/exec-ext/exec-ext/catalog"
)

func ExamplePool_Render() {
	pool, _ := catalog.NewPool(catalog.Snapshot{Tools: []json.RawMessage{json.RawMessage(`{
		"name": "mcp__clock__now", "description": "Tells the time.",
		"inputSchema": {"type": "object", "properties": {"zone": {"type": "string", "description": "Where.", "default": "UTC"}}}
	}`)}})
	listing := pool.Render(catalog.Options{BudgetTokens: 2000, Depth: 8, DescriptionChars: 120})
	fmt.Println(listing.Text)
	// Output:
	// These MCP tools can be called from a script now:
	// /** Tells the time. */
	// tools.mcp__clock__now(input: {
	// 	/** Where. @default "UTC" */
	// 	zone?: string;
	// }): Promise<unknown>
}

func ExamplePool_Search() {
	pool, _ := catalog.NewPool(catalog.Snapshot{Tools: []json.RawMessage{
		json.RawMessage(`{"name": "mcp__clock__now", "description": "Tells the time."}`),
		json.RawMessage(`{"name": "mcp__clock__set_alarm", "description": "Wakes you up."}`),
	}})
	options := catalog.Options{BudgetTokens: 2000, Depth: 8, DescriptionChars: 120}
	hits, _, _ := pool.Search(json.RawMessage(`{"query": "alarm"}`), options)
	fmt.Println(hits[0].Name, hits[0].Description)
	hits, note, _ := pool.Search(json.RawMessage(`{"query": "set_alarn"}`), options)
	fmt.Println(len(hits), note)
	_, _, err := pool.Search(json.RawMessage(`{"q": "alarm"}`), options)
	fmt.Println(err != nil)
	// Output:
	// mcp__clock__set_alarm Wakes you up.
	// 0 No tool matches "set_alarn". Servers searched: clock. Names that come near: mcp__clock__set_alarm. Try fewer or other words, or omit query to list the whole pool.
	// true
}
