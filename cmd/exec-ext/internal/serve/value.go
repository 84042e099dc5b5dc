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

// A contentBlock has the members of all kinds of MCP content.
type contentBlock struct {
	Type     string    `json:"type"`
	Text     *string   `json:"text"`
	Data     *string   `json:"data"`
	MIMEType string    `json:"mimeType"`
	Resource *resource `json:"resource"`
}

type resource struct {
	Text     *string `json:"text"`
	Blob     *string `json:"blob"`
	MIMEType string  `json:"mimeType"`
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
	switch {
	case b.Type == "text" && b.Text != nil:
		*texts = append(*texts, *b.Text)
	case b.Type == "image" && b.Data != nil && b.MIMEType != "":
		r.images = append(r.images, imageBlock(*b.Data, b.MIMEType))
	case b.Type == "resource" && b.Resource != nil && b.Resource.Text != nil:
		*texts = append(*texts, *b.Resource.Text)
	case b.Type == "resource" && b.Resource != nil && b.Resource.Blob != nil && strings.HasPrefix(b.Resource.MIMEType, "image/"):
		r.images = append(r.images, imageBlock(*b.Resource.Blob, b.Resource.MIMEType))
	default:
		r.leftOut = append(r.leftOut, blockKind(b))
	}
}

// blockKind names a block for the model.
func blockKind(b contentBlock) string {
	switch b.Type {
	case "audio", "resource_link":
		return b.Type
	case "resource":
		return leftOutBinary
	case "text", "image":
		return leftOutBadBlock(b.Type)
	case "":
		return leftOutWithoutType
	}
	return leftOutUnknown(b.Type)
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
