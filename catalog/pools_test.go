package catalog

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// defaults are the options a host has without a word of its own.
var defaults = Options{BudgetTokens: 2000, Depth: 8, DescriptionChars: 120}

// everything shows a whole pool.
var everything = Options{BudgetTokens: 1 << 40, Depth: 8, DescriptionChars: 120}

// poolOf builds a pool of tools given as JSON and fails the test on a warning.
func poolOf(t interface{ Fatal(...any) }, tools ...string) *Pool {
	p, warnings := NewPool(Snapshot{Tools: raws(tools)})
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	return p
}

func raws(tools []string) []json.RawMessage {
	out := make([]json.RawMessage, len(tools))
	for i, s := range tools {
		out[i] = json.RawMessage(s)
	}
	return out
}

// toolJSON writes a tool with an input schema.
func toolJSON(name, description, input string) string {
	d, _ := json.Marshal(description)
	return fmt.Sprintf(`{"name":%q,"description":%s,"inputSchema":%s}`, name, d, input)
}

// generated makes n tools of the sizes seen on real servers: a sentence or a page of description, and half a dozen
// fields, some of them nested.
func generated(n int, seed uint64) []json.RawMessage {
	g := poolMaker{rand.New(rand.NewPCG(seed, 7))}
	tools := make([]string, n)
	for i := range tools {
		name := fmt.Sprintf("mcp__srv%02d__%s_%s_%d", i%40, g.word(), g.word(), i)
		tools[i] = toolJSON(name, g.text(8, 40), g.object(0))
	}
	return raws(tools)
}

type poolMaker struct{ *rand.Rand }

var vocabulary = strings.Fields(`list create update delete search issue branch commit page document folder message
	channel user team order invoice customer report query filter label comment record table field event calendar
	deploy server region image volume network policy secret token webhook schedule task project board sprint wiki`)

// word gives a common word, or one of some thousands of rare ones.
func (g poolMaker) word() string {
	w := vocabulary[g.IntN(len(vocabulary))]
	if g.IntN(4) == 0 {
		return w
	}
	return syllables[g.IntN(len(syllables))] + syllables[g.IntN(len(syllables))] + syllables[g.IntN(len(syllables))]
}

var syllables = strings.Fields("ba ce di fo gu ha ke li mo nu pa re si to vu wa xe yi zo qu")

func (g poolMaker) text(least, most int) string {
	words := make([]string, least+g.IntN(most-least))
	for i := range words {
		words[i] = g.word()
	}
	return strings.Join(words, " ") + "."
}

func (g poolMaker) object(depth int) string {
	var fields, required []string
	for i := range 2 + g.IntN(7) {
		name := fmt.Sprintf("%s_%d", g.word(), i)
		fields = append(fields, fmt.Sprintf("%q:%s", name, g.schema(depth+1)))
		if g.IntN(3) == 0 {
			required = append(required, fmt.Sprintf("%q", name))
		}
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`,
		strings.Join(fields, ","), strings.Join(required, ","))
}

func (g poolMaker) schema(depth int) string {
	says := fmt.Sprintf(`"description":%q`, g.text(3, 15))
	switch k := g.IntN(12); {
	case k < 5 || depth > 3:
		return `{"type":"string",` + says + `}`
	case k < 7:
		return `{"type":"integer","minimum":0,"default":10,` + says + `}`
	case k < 8:
		return `{"type":"boolean",` + says + `}`
	case k < 10:
		return fmt.Sprintf(`{"type":"string","enum":[%q,%q,%q],%s}`, g.word(), g.word(), g.word(), says)
	case k < 11:
		return fmt.Sprintf(`{"type":"array","items":%s,%s}`, g.schema(depth+1), says)
	}
	return strings.TrimSuffix(g.object(depth), "}") + "," + says + "}"
}
