package serve

import (
	"encoding/json"
	"strings"

	"github.com/exec-ext/exec-ext/hostapi"
)

// A toolResult is a CallToolResult read by the value rule: structured content, else text, else null.
type toolResult struct {
	value      json.RawMessage // nil = null
	isError    bool
	text       *string // nil: there was no text
	structured json.RawMessage
	images     []json.RawMessage // image blocks in MCP's shape
	leftOut    []string          // what the script does not get, by kind
}

// A contentBlock has the members of all kinds of MCP content. A member of the wrong type counts as absent.
type contentBlock struct {
	Type     maybeText       `json:"type"`
	Text     maybeText       `json:"text"`
	Data     maybeText       `json:"data"`
	MIMEType maybeText       `json:"mimeType"`
	Resource json.RawMessage `json:"resource"`
}

type resource struct {
	Text     maybeText `json:"text"`
	Blob     maybeText `json:"blob"`
	MIMEType maybeText `json:"mimeType"`
}

// maybeText is a string if the member was one.
type maybeText struct {
	text string
	ok   bool
}

func (m *maybeText) UnmarshalJSON(raw []byte) error {
	m.ok = raw[0] == '"' && hostapi.Decode(raw, &m.text) == nil
	return nil
}

// readResult reads what the server returned; the declared output schema plays no part. false: no object.
func readResult(raw json.RawMessage) (toolResult, bool) {
	var in struct {
		Content           json.RawMessage `json:"content"`
		StructuredContent json.RawMessage `json:"structuredContent"`
		IsError           json.RawMessage `json:"isError"`
	}
	if len(raw) == 0 || raw[0] != '{' || hostapi.Decode(raw, &in) != nil {
		return toolResult{}, false
	}
	r := toolResult{isError: string(in.IsError) == "true"}
	var blocks []json.RawMessage
	if len(in.Content) > 0 && hostapi.Decode(in.Content, &blocks) != nil {
		r.leftOut = append(r.leftOut, leftOutNoList)
	}
	var texts []string
	for _, block := range blocks {
		r.readBlock(block, &texts)
	}
	if texts != nil {
		text := strings.Join(texts, "\n")
		r.text = &text
	}
	if s := in.StructuredContent; len(s) > 0 && string(s) != "null" {
		r.structured = s
	}
	r.value = r.structured
	if r.value == nil && r.text != nil {
		r.value, _ = marshal(*r.text)
	}
	return r, true
}

func (r *toolResult) readBlock(raw json.RawMessage, texts *[]string) {
	var b contentBlock
	if hostapi.Decode(raw, &b) != nil {
		r.leftOut = append(r.leftOut, leftOutMalformed)
		return
	}
	var in resource
	if len(b.Resource) > 0 {
		_ = hostapi.Decode(b.Resource, &in) // what is no object has no members
	}
	switch {
	case b.Type.text == "text" && b.Text.ok:
		*texts = append(*texts, b.Text.text)
	case b.Type.text == "image" && b.Data.ok && b.MIMEType.text != "":
		r.images = append(r.images, imageBlock(b.Data.text, b.MIMEType.text))
	case b.Type.text == "resource" && in.Text.ok:
		*texts = append(*texts, in.Text.text)
	case b.Type.text == "resource" && in.Blob.ok && strings.HasPrefix(in.MIMEType.text, "image/"):
		r.images = append(r.images, imageBlock(in.Blob.text, in.MIMEType.text))
	default:
		r.leftOut = append(r.leftOut, blockKind(b.Type.text))
	}
}

// blockKind names a block for the model.
func blockKind(kind string) string {
	switch kind {
	case "audio", "resource_link":
		return kind
	case "resource":
		return leftOutBinary
	case "text", "image":
		return leftOutBadBlock(kind)
	case "":
		return leftOutWithoutType
	}
	return leftOutUnknown(kind)
}

func imageBlock(data, mimeType string) json.RawMessage {
	block, err := marshal(struct {
		Type     string `json:"type"`
		Data     string `json:"data"`
		MIMEType string `json:"mimeType"`
	}{"image", data, mimeType})
	if err != nil {
		panic("serve: an image block of three strings cannot be marshalled: " + err.Error())
	}
	return block
}

// errorText is the message of the rejected await.
func (r *toolResult) errorText(name string) string {
	switch {
	case r.text != nil && strings.TrimSpace(*r.text) != "":
		return *r.text
	case r.structured != nil:
		return string(r.structured)
	}
	return toolFailedSilently(name)
}
