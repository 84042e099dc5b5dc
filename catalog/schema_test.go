package catalog

import (
	"strings"
	"testing"
)

// typeOf renders one schema as an input.
func typeOf(schema string, depth int) string {
	var r renderer
	s, _ := r.schema([]byte(schema), depth)
	return s.String()
}

// TestS5_1_Types holds the rules for schema keywords, one by one. Line ends and tabs are left out of what is compared.
func TestS5_1_Types(t *testing.T) {
	for _, c := range []struct{ why, schema, want string }{
		{"E9: nothing is invented", `{"type":"object"}`, `{}`},
		{"E9: no fields", `{"type":"object","properties":{}}`, `{}`},
		{"closed and empty", `{"type":"object","additionalProperties":false}`, `{ [key: string]: never }`},
		{"optional and required", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["b"]}`, `{a?: string;/** @integer */b: number;}`},
		{"required without declaration", `{"type":"object","required":["x","x","y"]}`, `{x: unknown;y: unknown;}`},
		{"required of the wrong type", `{"type":"object","properties":{"a":{"type":"string"}},"required":"a"}`, `{a?: string;}`},
		{"arrays", `{"type":"array","items":{"type":["string","number"]}}`, `Array<string | number>`},
		{"array of anything", `{"type":"array"}`, `Array<unknown>`},
		{"array of nothing", `{"type":"array","items":false}`, `Array<never>`},
		{"tuple", `{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"items":false,"minItems":1}`, `/** @minItems 1 */ [string, number?]`},
		{"tuple of 2019", `{"items":[{"type":"string"}],"additionalItems":{"type":"number"},"minItems":9}`, `/** @minItems 9 */ [string, ...Array<number>]`},
		{"open tuple", `{"prefixItems":[{"anyOf":[{"type":"string"},{"type":"number"}]}]}`, `[(string | number)?, ...Array<unknown>]`},
		{"type list", `{"type":["string","null"]}`, `string | null`},
		{"integer beside number", `{"type":["integer","number"]}`, `number`},
		{"empty type list", `{"type":[]}`, `unknown`},
		{"unknown type", `{"type":"file"}`, `unknown`},
		{"nullable", `{"type":"string","nullable":true,"description":"d"}`, `/** d */ string | null`},
		{"nullable twice", `{"type":["string","null"],"nullable":true}`, `string | null`},
		{"enum", `{"enum":["a",1,1.50,true,null,"a"]}`, `"a" | 1 | 1.50 | true | null`},
		{"empty enum", `{"enum":[]}`, `never`},
		{"const object", `{"const":{"a":[1,"x"],"b-c":null}}`, `{a: [1, "x"];"b-c": null;}`},
		{"true", `true`, `unknown`},
		{"false", `false`, `never`},
		{"not anything", `{"not":{}}`, `/** @not {} */ never`},
		{"malformed", `7`, `unknown`},
		{"anyOf", `{"anyOf":[{"type":"string"},{"type":"number"},{"type":"string"}]}`, `string | number`},
		{"one branch and null", `{"anyOf":[{"type":"string","description":"d","format":"uri"},{"type":"null"}]}`, `/** d @format uri */ string | null`},
		{"branches that say something", `{"oneOf":[{"type":"string","description":"a"},{"type":"string","description":"b"}]}`, `/** a */ string | /** b */ string`},
		{"a branch that is open", `{"anyOf":[{"type":"string"},{}]}`, `string | unknown`},
		{"allOf", `{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}]}`, `{a?: string;} & {b?: string;}`},
		{"allOf beside properties", `{"properties":{"a":{"type":"string"}},"allOf":[{"required":["a"]}]}`, `{a?: string;} & {a: unknown;}`},
		{"choice beside properties", `{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["b"]},{"required":["c"]}]}`, `{a?: string;} & ({b: unknown;} | {c: unknown;})`},
		{"anyOf and oneOf", `{"anyOf":[{"type":"string"},{"type":"number"}],"oneOf":[{"enum":["a"]},{"enum":[1]}]}`, `(string | number) & ("a" | 1)`},
		{"never wins", `{"allOf":[{"type":"string"},false]}`, `never`},
		{"{} adds nothing", `{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}}]}`, `{a?: string;}`},
		{"map", `{"type":"object","additionalProperties":{"type":"string","description":"d"}}`, `{ [key: string]: /** d */ string }`},
		{"open map", `{"type":"object","additionalProperties":true}`, `{ [key: string]: unknown }`},
		{"map beside fields", `{"properties":{"a":{"type":"boolean"},"b":{"properties":{"c":{}}},"d":{"type":"string"}},"required":["b"],"additionalProperties":{"type":"string"}}`, `{a?: boolean;b: {c?: unknown;};d?: string;[key: string]: string | boolean | object | undefined;}`},
		{"map beside a list", `{"properties":{"a":{"type":"array","items":{"type":"string"}}},"required":["a"],"additionalProperties":{"type":"number"}}`, `{a: Array<string>;[key: string]: number | Array<string>;}`},
		{"map of the same type", `{"properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":{"type":"string"}}`, `{a: string;[key: string]: string;}`},
		{"open map beside fields", `{"properties":{"a":{"type":"string"}},"additionalProperties":{}}`, `{a?: string;[key: string]: unknown;}`},
		{"patterns", `{"patternProperties":{"^a":{"type":"string"},"b":{"type":"number"}},"additionalProperties":false}`, `{ [key: string]: /** @keys "^a" */ string | /** @keys "b" */ number }`},
		{"open patterns beside other parts", `{"patternProperties":{"^a":{"type":"string"}},"allOf":[{"properties":{"b":{"type":"number"}}}]}`, `{ [key: string]: /** @keys "^a" */ string | unknown } & {b?: number;}`},
		{"names", `{"type":"object","propertyNames":{"pattern":"^a"},"additionalProperties":{"type":"number"}}`, `/** @propertyNames {"pattern":"^a"} */ { [key: string]: number }`},
		{"conditions are said", `{"properties":{"a":{"type":"string"}},"if":{"required":["a"]},"then":{"required":["b"]}}`, `/** @if {"required":["a"]} @then {"required":["b"]} */ {a?: string;}`},
		{"what the type rules out is said", `{"type":"object","items":{"type":"string"}}`, `/** @items {"type":"string"} */ {}`},
		{"equal names: the last counts, as in JSON.parse", `{"type":"string","type":"number"}`, `number`},
		{"odd names", `{"properties":{"a-b":{},"ok_1":{},"$x":{},"2a":{},"名":{},"\n\u2028":{}}}`, "{\"a-b\"?: unknown;ok_1?: unknown;$x?: unknown;\"2a\"?: unknown;名?: unknown;\"\\n\\u2028\"?: unknown;}"},
	} {
		got := strings.NewReplacer("\n", "", "\t", "").Replace(typeOf(c.schema, 8))
		if got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.why, c.schema, got, c.want)
		}
	}
}

// TestS5_1_References holds what a $ref may point at and what stands beside it.
func TestS5_1_References(t *testing.T) {
	const defs = `"$defs":{"a":{"type":"string","description":"target"},"x/y z~":{"type":"boolean"},"an":{"$anchor":"spot","type":"number"},
		"id":{"$id":"#old","type":"null"},"l":{"anyOf":[{"type":"string"},{"type":"integer"}]},"o":{"properties":{"k":{"type":"string"}}}}`
	for _, c := range []struct{ why, schema, want string }{
		{"$defs", `{"$ref":"#/$defs/a"}`, `/** target */ string`},
		{"escapes", `{"$ref":"#/$defs/x~1y%20z~0"}`, `boolean`},
		{"anchor", `{"$ref":"#spot"}`, `number`},
		{"old anchor", `{"$ref":"#old"}`, `null`},
		{"into a list", `{"$ref":"#/$defs/l/anyOf/0"}`, `string`},
		{"beyond a list", `{"$ref":"#/$defs/l/anyOf/2"}`, `unknown`},
		{"nowhere", `{"$ref":"#/$defs/none"}`, `unknown`},
		{"outside", `{"$ref":"https://example.com/s.json#/a"}`, `unknown`},
		{"no string", `{"$ref":7}`, `unknown`},
		{"bad escape", `{"$ref":"#/%zz"}`, `unknown`},
		{"siblings are kept", `{"$ref":"#/$defs/o","description":"site","required":["k"],"properties":{"m":{"type":"string"}}}`, `/** site */ {m?: string;k: unknown;} & {k?: string;}`},
		{"both are said", `{"$ref":"#/$defs/a","description":"site"}`, "/** * site * target */ string"},
	} {
		schema := strings.TrimSuffix(c.schema, "}") + "," + defs + "}"
		got := strings.NewReplacer("\n", "", "\t", "").Replace(typeOf(schema, 8))
		if got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.why, c.schema, got, c.want)
		}
	}
}

// TestS5_2_DepthIsTheOnlyGuard renders a schema that refers to itself down to the limit and not further. Below it only a
// list of values keeps its type, without a comment.
func TestS5_2_DepthIsTheOnlyGuard(t *testing.T) {
	const self = `{"type":"object","properties":{"v":{"type":"string"},"next":{"$ref":"#"}}}`
	for depth := 1; depth < 12; depth++ {
		got := typeOf(self, depth)
		if n := strings.Count(got, "v?: string"); n != depth {
			t.Errorf("depth %d: %d levels:\n%s", depth, n, got)
		}
		if n := strings.Count(got, "unknown"); n != 2 {
			t.Errorf("depth %d: %d unknown, want the two fields below the limit:\n%s", depth, n, got)
		}
	}
	for below, want := range map[string]string{
		`{"type":"integer","description":"d","minimum":1}`:                   "unknown",
		`{"enum":["a",1,null]}`:                                              `"a" | 1 | null`,
		`{"const":true}`:                                                     "true",
		`{"$ref":"#/$defs/e"}`:                                               `"x"`,
		`{"type":["string","null"]}`:                                         "unknown",
		`{"type":"null"}`:                                                    "null",
		`{"enum":[-1.5,false],"description":"d"}`:                            "-1.5 | false",
		`{"type":["string","null"],"enum":["a",null]}`:                       `"a" | null`,
		`{"type":"string","nullable":true}`:                                  "unknown",
		`{"anyOf":[{"type":"string"},{"type":"null"}]}`:                      "unknown",
		`{"anyOf":[{"enum":["a"]},{"type":"null"}]}`:                         `"a" | null`,
		`{"type":"string","allOf":[{"enum":["a"]}]}`:                         `string & "a"`,
		`{"type":"object"}`:                                                  "unknown",
		`{"type":"array","items":{"type":"string"},"description":"d"}`:       "unknown",
		`{"type":["string","array"]}`:                                        "unknown",
		`{"anyOf":[{"type":"object"},{"type":"null"}],"description":"d"}`:    "unknown",
		`{"anyOf":[{"type":"string"},{"type":"number"}]}`:                    "unknown",
		`{"allOf":[{"type":"string"},{"enum":["a"]}]}`:                       "unknown",
		`{"enum":["a",{"b":1}]}`:                                             "unknown",
		`{"const":["a"]}`:                                                    "unknown",
		`{"description":"d"}`:                                                "unknown",
		`{"type":"string","allOf":[{"properties":{"x":{"type":"string"}}}]}`: "unknown",
	} {
		got := typeOf(`{"properties":{"a":`+below+`},"$defs":{"e":{"enum":["x"],"description":"d"}}}`, 0)
		if got != "{\n\ta?: "+want+";\n}" {
			t.Errorf("below the limit %s: %s, want %s", below, got, want)
		}
	}
	const circle = `{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`
	if got := typeOf(circle, 8); got != "unknown" {
		t.Errorf("a circle without a step: %s", got)
	}
}

// TestE10_WideSchemasAreWhole has neither a limit of fields nor of enum members.
func TestE10_WideSchemasAreWhole(t *testing.T) {
	var fields, members []string
	for i := range 3000 {
		fields = append(fields, quote("f"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+strings.Repeat("y", i/26))+`:{"type":"string"}`)
		members = append(members, quote(strings.Repeat("m", i+1)))
	}
	got := typeOf(`{"properties":{`+strings.Join(fields, ",")+`,"e":{"enum":[`+strings.Join(members, ",")+`]}}}`, 8)
	if n := strings.Count(got, "?: string;"); n != 3000 {
		t.Errorf("%d of 3000 fields", n)
	}
	if n := strings.Count(got, "|") + 1; n != 3000 {
		t.Errorf("%d of 3000 enum members", n)
	}
}

// TestS5_2_FanOutEnds unfolds references that double at every level; a cut says so in the comment.
func TestS5_2_FanOutEnds(t *testing.T) {
	fan := `{"description":"` + strings.Repeat("long ", 1000) + `","properties":{"a":{"$ref":"#"},"b":{"$ref":"#"},"c":{"$ref":"#"},"d":{"$ref":"#"}}}`
	got := typeOf(fan, 32)
	if !strings.Contains(got, textUnrolled) {
		t.Error("the cut is silent")
	}
	if len(got) > 8<<20 {
		t.Errorf("%d bytes", len(got))
	}
}
