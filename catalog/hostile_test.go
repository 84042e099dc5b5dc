package catalog

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
)

// TestS5_2_HostileSchemasEnd renders schemas made to take long: each of about a megabyte, in seconds on a busy machine.
func TestS5_2_HostileSchemasEnd(t *testing.T) {
	repeat := func(n int, f func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = f(i)
		}
		return strings.Join(parts, ",")
	}
	nest := func(n int, open, inner, end string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	long := strings.Repeat("text ", 40)
	for name, schema := range map[string]string{
		"nested allOf, each with words": nest(4900, `{"description":"`+long+`","minLength":1,"allOf":[`, `{}`, `]}`),
		"nested allOf of objects":       nest(4900, `{"properties":{"a":{}},"allOf":[`, `{}`, `]}`),
		"nested choices":                nest(4900, `{"anyOf":[{"type":"null"},`, `{}`, `]}`),
		"nested choices that count":     nest(4900, `{"anyOf":[{"type":"string"},`, `{}`, `]}`),
		"nested constants":              `{"const":` + nest(9000, `[`, `1`, `]`) + `}`,
		"a chain of references":         `{"$ref":"#/$defs/d0","$defs":{` + repeat(20000, func(i int) string { return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1) }) + `}}`,
		"many references into one object": `{"properties":{` + repeat(15000, func(i int) string { return fmt.Sprintf(`"p%d":{"$ref":"#/$defs/d%d"}`, i, i) }) +
			`},"$defs":{` + repeat(15000, func(i int) string { return fmt.Sprintf(`"d%d":{}`, i) }) + `}}`,
		"many anchors": `{"properties":{` + repeat(10000, func(i int) string { return fmt.Sprintf(`"p%d":{"$ref":"#a%d"}`, i, i) }) +
			`},"$defs":{` + repeat(10000, func(i int) string { return fmt.Sprintf(`"d%d":{"$anchor":"a%d"}`, i, i) }) + `}}`,
		"references that fan out":      `{"properties":{` + repeat(30, func(i int) string { return fmt.Sprintf(`"p%d":{"$ref":"#","description":"%s"}`, i, long) }) + `}}`,
		"choices that fan out":         `{"anyOf":[` + repeat(9, func(i int) string { return fmt.Sprintf(`{"properties":{"p%d":{"$ref":"#"}}}`, i) }) + `]}`,
		"a wide enum":                  `{"enum":[` + repeat(60000, func(i int) string { return fmt.Sprintf(`"value %d"`, i) }) + `]}`,
		"a wide choice of objects":     `{"anyOf":[` + repeat(9000, func(i int) string { return fmt.Sprintf(`{"properties":{"x":{"type":"string"},"y%d":{}}}`, i) }) + `]}`,
		"a wide map beside its fields": `{"additionalProperties":{"type":"string"},"properties":{` + repeat(20000, func(i int) string { return fmt.Sprintf(`"p%d":{"enum":[%d]}`, i, i) }) + `}}`,
		"many required":                `{"required":[` + repeat(60000, func(i int) string { return fmt.Sprintf(`"r%d"`, i) }) + `]}`,
		"one name again and again":     `{` + repeat(60000, func(i int) string { return `"description":"x"` }) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			p, warnings := NewPool(Snapshot{Tools: raws([]string{toolJSON("mcp__a__b", "", schema)})})
			l := p.Render(Options{BudgetTokens: 1, Depth: 32, DescriptionChars: 120})
			if l.Shown != 1 || len(warnings) > 0 {
				t.Errorf("%d shown, %v", l.Shown, warnings)
			}
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("took %v for %d bytes, %d out", d, len(schema), len(l.Text))
			} else {
				t.Logf("%v for %d bytes, %d out", d, len(schema), len(l.Text))
			}
		})
	}
}

// TestS5_3_ControlCharacters renders descriptions with bytes that a terminal obeys and some providers refuse.
func TestS5_3_ControlCharacters(t *testing.T) {
	pool := poolOf(t, `{"name":"mcp__a__x","description":"red \u001b[31m\u0000*\u0000/ end","inputSchema":{"type":"object","properties":{
		"p\u0007":{"type":"string","description":"two\nlines\u0085\u007f\there","default":"a\nb\u001b"}}}}`)
	text := pool.Render(defaults).Text
	for i, r := range text {
		if unicode.IsControl(r) && r != '\t' && r != '\n' {
			t.Errorf("%q at %d of\n%s", r, i, text)
		}
	}
	if !strings.Contains(text, "/** red [31m* / end */") || !strings.Contains(text, "two\n") {
		t.Error(text)
	}
}
