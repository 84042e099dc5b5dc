package hostapi

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A ShapeError says where a message has not the shape of the protocol. Path is as $.pool.tools[0]; Expected is a
// word or two, as "a string".
type ShapeError struct{ Path, Expected string }

func (e *ShapeError) Error() string { return fmt.Sprintf("%s: expected %s", e.Path, e.Expected) }

// Decode reads one message leniently: member names match exactly, unknown members are ignored, of equal names the
// last one counts. A wrong shape is a *ShapeError. Absent input decodes to the zero value.
func Decode(raw []byte, v any) error {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	err := json.Unmarshal(raw, v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return &ShapeError{Path: jsonPath(semantic.JSONPointer), Expected: expected(semantic.GoType)}
	}
	return err
}

// jsonPath writes a JSON pointer the way scripts write paths.
func jsonPath(p jsontext.Pointer) string {
	var b strings.Builder
	b.WriteByte('$')
	for token := range p.Tokens() {
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "":
			fmt.Fprintf(&b, "[%s]", token)
		default:
			b.WriteString("." + token)
		}
	}
	return b.String()
}

func expected(t reflect.Type) string {
	if t == nil {
		return "another type"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return expected(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Slice:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "another type"
}
