package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// A Message is one JSON-RPC message; members that are absent are nil.
type Message struct {
	ID     json.RawMessage // as spelled
	Method string          // "" for an answer
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage

	Answers string // of an answer: the method it belongs to, as far as that is known
}

// IsRequest says that the message wants an answer.
func (m Message) IsRequest() bool { return m.Method != "" && m.ID != nil }

// IsAnswer says that it is one.
func (m Message) IsAnswer() bool { return m.Method == "" }

// Parse reads a message and holds it to JSON-RPC 2.0: UTF-8, one object, no member twice, none beside the known, the
// version, an id of a legal kind, and the members of its kind of message and no others.
func Parse(body []byte) (Message, error) {
	var m Message
	if !utf8.Valid(body) {
		return m, errors.New("message is not UTF-8")
	}
	all, err := topLevel(body)
	if err != nil {
		return m, err
	}
	m = Message{ID: all["id"], Params: all["params"], Result: all["result"], Error: all["error"]}
	if method := all["method"]; method != nil {
		if json.Unmarshal(method, &m.Method) != nil || m.Method == "" {
			return m, errors.New("method is no text")
		}
	}
	if string(all["jsonrpc"]) != `"2.0"` {
		return m, fmt.Errorf(`jsonrpc is %s, not "2.0"`, orNothing(all["jsonrpc"]))
	}
	for name := range all {
		switch name {
		case "jsonrpc", "id", "method", "params", "result", "error":
		default:
			return m, fmt.Errorf("member %q has no meaning", name)
		}
	}
	return m, m.coherent()
}

func (m Message) coherent() error {
	if m.ID != nil && m.ID[0] != '"' && m.ID[0] != '-' && (m.ID[0] < '0' || m.ID[0] > '9') && string(m.ID) != "null" {
		return fmt.Errorf("id %s is neither text nor number", m.ID)
	}
	switch {
	case m.Method != "" && (m.Result != nil || m.Error != nil):
		return errors.New("both a method and an answer")
	case m.Method != "" && string(m.ID) == "null":
		return errors.New("a request with id null")
	case m.Method != "":
		return nil
	case m.ID == nil:
		return errors.New("neither a method nor an id")
	case (m.Result == nil) == (m.Error == nil):
		return errors.New("an answer has either a result or an error")
	case m.Error != nil:
		return errorObject(m.Error)
	}
	return nil
}

// errorObject holds an error to what JSON-RPC wants: an integer code and a message.
func errorObject(raw json.RawMessage) error {
	var e struct {
		Code    *int            `json:"code"`
		Message *string         `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil || e.Code == nil || e.Message == nil {
		return fmt.Errorf("error %s is no object of code, message and data", raw)
	}
	return nil
}

// errorData holds the data of an error of exec-ext: an object with kind and retryable.
func errorData(raw json.RawMessage) error {
	var e struct {
		Data *struct {
			Kind      *string `json:"kind"`
			Retryable *bool   `json:"retryable"`
		} `json:"data"`
	}
	if json.Unmarshal(raw, &e) != nil || e.Data == nil || e.Data.Kind == nil || e.Data.Retryable == nil {
		return fmt.Errorf("error %s has no data object with kind and retryable", raw)
	}
	return nil
}

// topLevel reads the members of an object, each once.
func topLevel(body []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	t, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("message is no JSON: %w", err)
	}
	if t != json.Delim('{') {
		return nil, errors.New("message is no object")
	}
	all := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("message is no JSON: %w", err)
		}
		name, _ := t.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("message is no JSON: %w", err)
		}
		if all[name] != nil {
			return nil, fmt.Errorf("member %q comes twice", name)
		}
		all[name] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("message is no JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the message")
	}
	return all, nil
}

func orNothing(raw json.RawMessage) string {
	if raw == nil {
		return "absent"
	}
	return string(raw)
}
