package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// searchInput and searchOutput are what the search entry takes and gives: shown to the model, and held to.
const (
	searchInput = `{"type":"object","properties":{` +
		`"query":{"type":"string","description":"Words to look for in names, descriptions and parameter names; letter case and accents do not matter. A tool matches if any word occurs; those with more words come first. Omit query to list the whole pool."},` +
		`"server":{"type":"string","description":"Only the tools of this server, such as github for mcp__github__*."},` +
		`"limit":{"type":"integer","minimum":1,"description":"The most results to return. Omit it for all of them."}},` +
		`"additionalProperties":false}`
	searchOutput = `{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string"},"description":{"type":"string"},` +
		`"signature":{"type":"string","description":"How to call the tool, as in this catalog."}},` +
		`"required":["name","description","signature"]}}`
	searchDepth = 8 // deeper than both
)

// searchSignature is the search entry as the model reads it.
func searchSignature() string {
	var r renderer
	input, _ := r.schema(json.RawMessage(searchInput), searchDepth)
	output, _ := r.schema(json.RawMessage(searchOutput), searchDepth)
	return r.out.signature("tools["+quote(Namespace)+"]."+SearchName, input, output)
}

// A request is a valid search input.
type request struct {
	words  []string // folded
	server string
	anyone bool // no server given
	limit  int  // 0 = none
	query  string
}

// readRequest holds raw input against the search schema.
func readRequest(input json.RawMessage) (request, error) {
	r := request{anyone: true}
	if len(input) == 0 {
		return r, nil
	}
	in, err := parse(input)
	if err != nil || !in.isObject() {
		return r, wrongShape("search takes one plain object")
	}
	schema, err := parse([]byte(searchInput))
	if err != nil {
		return r, fmt.Errorf("search: %w", err)
	}
	for i := range in.members {
		m := &in.members[i]
		rule := schema.get("properties").get(m.key)
		if rule == nil {
			return r, wrongShape("search takes no member " + quote(m.key))
		}
		if !fits(&m.val, rule) {
			return r, wrongShape("the value of " + m.key + " does not fit")
		}
		r.set(m.key, &m.val)
	}
	return r, nil
}

func wrongShape(why string) error {
	var r renderer
	input, _ := r.schema(json.RawMessage(searchInput), searchDepth)
	return errors.New(why + "; it takes " + input.String())
}

// fits tells whether a value keeps to a rule of the search schema: its type and its minimum.
func fits(v, rule *node) bool {
	if rule.get("type").text == "string" {
		return v.isString()
	}
	if v.kind != '0' {
		return false
	}
	n, err := strconv.ParseFloat(v.text, 64)
	least, _ := strconv.ParseFloat(rule.get("minimum").text, 64)
	return err == nil && n == math.Trunc(n) && n >= least
}

func (r *request) set(key string, v *node) {
	switch key {
	case "query":
		r.query = strings.TrimSpace(v.text)
		r.words = queryWords(r.query)
	case "server":
		r.server, r.anyone = v.text, false
	case "limit":
		n, _ := strconv.ParseFloat(v.text, 64)
		r.limit = int(min(n, math.MaxInt32))
	}
}

// queryWords folds the words of a query, each once. A word that folds to nothing, such as a lone accent, stays as it
// is: it must not turn the query into one for everything.
func queryWords(query string) []string {
	var words []string
	for w := range strings.FieldsSeq(query) {
		folded := strings.Fields(fold(w))
		if len(folded) == 0 {
			folded = []string{w}
		}
		words = append(words, folded...)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// Search validates raw input against the search schema and matches over the whole pool. An error's text names the
// shape wanted. note is "" or a sentence for the model when nothing was found.
func (p *Pool) Search(input json.RawMessage, o Options) (hits []Hit, note string, err error) {
	r, err := readRequest(input)
	if err != nil {
		return nil, "", err
	}
	hits = p.find(r, o)
	if len(hits) == 0 {
		note = p.nothing(r)
	}
	return hits, note, nil
}

// Hit gives one tool as search would.
func (p *Pool) Hit(name string, o Options) (Hit, bool) {
	e, ok := p.byName[name]
	if !ok {
		return Hit{}, false
	}
	var r renderer
	return hit(e, r.render(e, o)), true
}

func hit(e *entry, r *rendering) Hit {
	return Hit{Name: e.tool.Name, Description: e.tool.Description, Signature: r.signature}
}

// nothing says that no tool was found, and what might be meant.
func (p *Pool) nothing(r request) string {
	var servers []string
	known := false
	for _, g := range p.groups {
		servers = append(servers, g.name)
		known = known || g.name == r.server
	}
	switch {
	case len(servers) == 0:
		return textEmpty
	case !r.anyone && !known:
		return textNoServer(r.server, servers)
	case !r.anyone:
		servers = []string{r.server}
	}
	const few = 3
	return textNothing(r.query, p.Nearest(r.query, few), servers)
}
