package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// plainMembers are those whose texts are words of the protocol, ids or names of tools: they stay readable.
func plainMember(name string) bool {
	switch name {
	case "jsonrpc", "method", "id", "sessionId", "runId", "parentRunId", "callId", "name", "version", "revision", "ifRevision",
		"status", "errorKind", "kind", "mode", "outcome", "decision", "by", "purpose", "permission", "exec", "channel", "action",
		"role", "what", "state", "level", "digest", "base", "declare", "deny", "disallowedTools", "profile", "profiles",
		"resultFormat", "overlongResult", "filesystem", "network", "processes", "memory", "path", "expected":
		return true
	}
	return false
}

// wholeMember says which members are contents as a whole, names in them too.
func wholeMember(name string) bool {
	switch name {
	case "arguments", "input", "content", "returnValue", "structuredContent", "inputSchema", "outputSchema", "annotations", "result":
		return true
	}
	return false
}

// redact replaces the contents of a message by their lengths: texts, and what is of the tools' and the script's making.
// Members stay in their order.
func redact(frame []byte) json.RawMessage {
	var b bytes.Buffer
	r := &redactor{
		in:  jsontext.NewDecoder(bytes.NewReader(frame), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		out: jsontext.NewEncoder(&b, jsontext.AllowDuplicateNames(true)),
	}
	if err := r.value("", true); err != nil {
		return fmt.Appendf(nil, `"<%d bytes>"`, len(frame))
	}
	return bytes.TrimSpace(b.Bytes())
}

type redactor struct {
	in  *jsontext.Decoder
	out *jsontext.Encoder
}

// value passes one value on, which is a member of that name. top says that it is the message itself.
func (r *redactor) value(name string, top bool) error {
	switch r.in.PeekKind() {
	case '{':
		return r.object(top)
	case '[':
		return r.list(name)
	case '"':
		t, err := r.in.ReadToken()
		if err != nil {
			return err
		}
		if plainMember(name) {
			return r.out.WriteToken(t)
		}
		return r.out.WriteToken(jsontext.String(fmt.Sprintf("<%d characters>", utf8.RuneCountInString(t.String()))))
	}
	v, err := r.in.ReadValue()
	if err != nil {
		return err
	}
	return r.out.WriteValue(v)
}

func (r *redactor) object(top bool) error {
	if err := r.pass(); err != nil {
		return err
	}
	for r.in.PeekKind() == '"' {
		t, err := r.in.ReadToken()
		if err != nil {
			return err
		}
		name := t.String()
		if err := r.out.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		if wholeMember(name) && !top {
			v, err := r.in.ReadValue()
			if err != nil {
				return err
			}
			err = r.out.WriteToken(jsontext.String(fmt.Sprintf("<%d bytes>", len(v))))
			if err != nil {
				return err
			}
			continue
		}
		if err := r.value(name, false); err != nil {
			return err
		}
	}
	return r.pass()
}

func (r *redactor) list(name string) error {
	if err := r.pass(); err != nil {
		return err
	}
	for r.in.PeekKind() != ']' {
		if err := r.value(name, false); err != nil {
			return err
		}
	}
	return r.pass()
}

// pass copies one token.
func (r *redactor) pass() error {
	t, err := r.in.ReadToken()
	if err != nil {
		return err
	}
	return r.out.WriteToken(t)
}
