package serve

import (
	"slices"
	"testing"
)

// The value rule: structured content, else the text of text blocks and embedded resources, else null.
func TestS1_2_E7_E8_ValueRule(t *testing.T) {
	for _, c := range []struct {
		name, raw, value string
		images           int
		leftOut          []string
	}{
		{"structured beats text", `{"content":[{"type":"text","text":"2"}],"structuredContent":{"b":1.0,"a":2}}`, `{"b":1.0,"a":2}`, 0, nil},
		{"structured null is absent", `{"content":[],"structuredContent":null}`, ``, 0, nil},
		{"structured may be a list", `{"structuredContent":[1]}`, `[1]`, 0, nil},
		{"E7 text for want of structured", `{"content":[{"type":"text","text":"hi"}]}`, `"hi"`, 0, nil},
		{"text that is JSON stays text", `{"content":[{"type":"text","text":"[1]"}]}`, `"[1]"`, 0, nil},
		{"texts are joined by one newline", `{"content":[{"type":"text","text":"a"},{"type":"image","data":"x","mimeType":"image/png"},{"type":"resource","resource":{"uri":"u","text":"b"}}]}`, `"a\nb"`, 1, nil},
		{"an empty text is a text", `{"content":[{"type":"text","text":""}]}`, `""`, 0, nil},
		{"nothing at all", `{}`, ``, 0, nil},
		{"E8 image only", `{"content":[{"type":"image","data":"x","mimeType":"image/png"}]}`, ``, 1, nil},
		{"image blob resource", `{"content":[{"type":"resource","resource":{"uri":"u","blob":"x","mimeType":"image/gif"}}]}`, ``, 1, nil},
		{"binary resource", `{"content":[{"type":"resource","resource":{"uri":"u","blob":"x","mimeType":"application/pdf"}}]}`, ``, 0, []string{"a binary resource"}},
		{"audio, link and unknown", `{"content":[{"type":"audio","data":"x","mimeType":"audio/wav"},{"type":"resource_link","uri":"u"},{"type":"video"}]}`, ``, 0, []string{"audio", "resource_link", `a block of unknown type "video"`}},
		{"malformed blocks", `{"content":[3,null,{"type":"text"},{"type":"image","data":5,"mimeType":"image/png"},{"type":"image","data":"x"}]}`, ``, 0,
			[]string{"a malformed content block", "a block without a type", "a malformed text block", "a malformed image block", "a malformed image block"}},
		{"an unknown block with odd members keeps its type", `{"content":[{"type":"3d","data":{"x":1},"text":5,"resource":"r"}]}`, ``, 0, []string{`a block of unknown type "3d"`}},
		{"content is no list", `{"content":"text"}`, ``, 0, []string{"content that is not a list"}},
		{"characters stay", `{"content":[{"type":"text","text":"<&> \u2028 é"}]}`, "\"<&> \\u2028 é\"", 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ok := readResult([]byte(c.raw))
			if !ok {
				t.Fatal("not read")
			}
			if string(r.value) != c.value {
				t.Errorf("value %s, want %s", r.value, c.value)
			}
			if len(r.images) != c.images {
				t.Errorf("%d images, want %d", len(r.images), c.images)
			}
			if !slices.Equal(r.leftOut, c.leftOut) {
				t.Errorf("left out %q, want %q", r.leftOut, c.leftOut)
			}
		})
	}
	for _, raw := range []string{``, `null`, `[]`, `"x"`, `3`} {
		if _, ok := readResult([]byte(raw)); ok {
			t.Errorf("%q was read as a result", raw)
		}
	}
}

func TestErrorText(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"text", `{"isError":true,"content":[{"type":"text","text":"no such file"}],"structuredContent":{"a":1}}`, "no such file"},
		{"structured without text", `{"isError":true,"content":[],"structuredContent":{"a":1}}`, `{"a":1}`},
		{"nothing", `{"isError":true,"content":[]}`, "mcp__s__t failed without saying why."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ok := readResult([]byte(c.raw))
			if !ok || !r.isError {
				t.Fatal("not read as an error")
			}
			if got := r.errorText("mcp__s__t"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
