package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// An envelope is one message, its contents left raw and sharing the body's memory. Members that are absent are nil.
type envelope struct {
	version, id, method, params, result, fault json.RawMessage

	seen map[string]bool // names read, their values perhaps not, of the members above
	dup  string          // a member that came twice
}

// member returns where the value of a member goes, nil for members that have no meaning.
func (e *envelope) member(name string) *json.RawMessage {
	switch name {
	case "jsonrpc":
		return &e.version
	case "id":
		return &e.id
	case "method":
		return &e.method
	case "params":
		return &e.params
	case "result":
		return &e.result
	case "error":
		return &e.fault
	}
	return nil
}

// A defect is why a message can not be taken.
type defect struct {
	code   int
	kind   string
	reason string
}

func (d *defect) Error() string { return d.reason }

func parseDefect(reason string) error { return &defect{CodeParse, "parse_error", reason} }
func shapeDefect(reason string) error { return &defect{CodeInvalidRequest, "invalid_request", reason} }

// parse reads the members of one message. With an error the envelope holds what came before the defect. Duplicate
// names and lone surrogate escapes inside params, result and error are the peer's own affair and are let through.
func parse(body []byte) (envelope, error) {
	e, err := scan(body)
	switch {
	case !utf8.Valid(body):
		err = parseDefect("message is not UTF-8") // the envelope still says which call it answers, if it does
	case err == nil && e.dup != "":
		err = shapeDefect("member " + e.dup + " comes twice")
	}
	return e, err
}

// scan is parse without the checks that need a whole message.
func scan(body []byte) (envelope, error) {
	e := envelope{seen: map[string]bool{}}
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != jsontext.KindBeginObject {
		if err := d.SkipValue(); err != nil {
			return e, syntax(err)
		}
		if err := end(d); err != nil {
			return e, err
		}
		return e, shapeDefect("message is not an object; batches are not supported")
	}
	if _, err := d.ReadToken(); err != nil {
		return e, syntax(err)
	}
	for d.PeekKind() == jsontext.KindString {
		if err := e.readMember(d, body); err != nil {
			return e, err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return e, syntax(err)
	}
	return e, end(d)
}

func (e *envelope) readMember(d *jsontext.Decoder, body []byte) error {
	token, err := d.ReadToken()
	if err != nil {
		return syntax(err)
	}
	name := token.String()
	to := e.member(name)
	if to == nil {
		return syntax(d.SkipValue())
	}
	again, before := e.seen[name], *to
	if again {
		e.dup = name
	}
	e.seen[name] = true
	value, err := d.ReadValue()
	if err != nil {
		return syntax(err)
	}
	// A value is valid until the next read only, but these bytes of the body are the same ones.
	at := d.InputOffset()
	if at == int64(len(body)) {
		return parseDefect("message is not JSON") // a number cut in two, if body is the head of a message
	}
	*to = json.RawMessage(body[at-int64(len(value)) : at : at])
	if name == "id" && again && !sameID(before, e.id) {
		e.id = nil // none of them can be trusted
	}
	return nil
}

func end(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return parseDefect("bytes behind the message")
	}
	return nil
}

// syntax turns a decoder's error into a defect. Its own text is not used, it quotes the input.
func syntax(err error) error {
	var s *jsontext.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &s) && s.Err != nil && s.Err.Error() == "exceeded max depth":
		return shapeDefect("message is nested too deeply")
	}
	return parseDefect("message is not JSON")
}

// isCall tells a request or notification from an answer.
func (e *envelope) isCall() bool { return e.seen["method"] }

// check finds what is wrong with the members of a request or notification. The id is checked first and dropped
// if it is bad, so that it is never echoed.
func (e *envelope) check() error {
	if e.seen["id"] && !isID(e.id) {
		e.id = nil
		return shapeDefect("id is neither a string nor a number")
	}
	if err := e.checkVersion(); err != nil {
		return err
	}
	if name, err := unquote(e.method); err != nil || name == "" {
		return shapeDefect("method is not a name")
	}
	if e.seen["result"] || e.seen["error"] {
		return shapeDefect("message is both request and answer")
	}
	return nil
}

func (e *envelope) checkVersion() error {
	if v, err := unquote(e.version); err != nil || v != "2.0" {
		return shapeDefect(`jsonrpc is not "2.0"`)
	}
	return nil
}

// outcome reads an answer: its raw result, or the *Error the peer sent, or what is wrong with it.
func (e *envelope) outcome() (json.RawMessage, error) {
	if err := e.checkVersion(); err != nil {
		return nil, err
	}
	if e.seen["result"] == e.seen["error"] {
		return nil, shapeDefect("answer holds not exactly one of result and error")
	}
	if e.seen["result"] {
		return e.result, nil
	}
	var fault struct {
		Code    *int
		Message *string
		Data    json.RawMessage
	}
	if err := json.Unmarshal(e.fault, &fault); err != nil || fault.Code == nil || fault.Message == nil {
		return nil, shapeDefect("answer's error has no code and message")
	}
	sent := &Error{Code: *fault.Code, Message: *fault.Message}
	if fault.Data != nil {
		sent.Data = fault.Data
	}
	return nil, sent
}

// unquote returns the text of a JSON string; anything else is an error.
func unquote(raw json.RawMessage) (string, error) {
	text, err := jsontext.AppendUnquote(nil, raw)
	return string(text), err
}
