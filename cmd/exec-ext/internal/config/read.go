package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/exec-ext/exec-ext/hostapi"
)

// Kinds of an [Error].
const (
	KindInvalid      = "invalid_params"
	KindNotSupported = "not_supported" // well formed, but this build cannot do it
)

// An Error names the member that does not fit by its path in the parameters of the request
// ("$.patch.limits.wallMs").
type Error struct {
	Path     string
	Expected string // "an integer"
	Message  string
	Kind     string
}

func (e *Error) Error() string { return e.Message }

func mismatch(path, expected string, got any) *Error {
	return &Error{Path: path, Expected: expected, Kind: KindInvalid,
		Message: fmt.Sprintf("%s: expected %s, got %s", path, expected, shape(got))}
}

// shape names the type of a value without repeating what it holds.
func shape(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	}
	return "an object"
}

// decode keeps numbers as they are spelt. No bytes are nil, as null is.
func decode(root string, raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, &Error{Path: root, Expected: "JSON", Kind: KindInvalid, Message: root + ": not JSON: " + err.Error()}
	}
	return value, nil
}

// read fills the defaults, lays the document over them and brings the numbers within their bounds. The first member
// of the wrong type, in the order of this function, is the error.
func read(root string, document map[string]any) (hostapi.Config, []hostapi.Clamp, error) {
	c := Defaults()
	r := reader{root: root, document: document}
	c.EnableExec.Local = r.boolean("enableExec.local")
	c.EnableExec.Remote = r.boolean("enableExec.remote")
	if patterns, ok := r.strings("disallowedTools"); ok {
		c.DisallowedTools = patterns
	}
	r.oneOf("profile", &c.Profile, "mcp", "all")
	if c.Profile == "all" && r.err == nil {
		path := join(root, "profile")
		r.err = &Error{Path: path, Expected: `"mcp"`, Kind: KindNotSupported, Message: path + `: this build has no profile "all"`}
	}
	r.oneOf("resultFormat", &c.ResultFormat, "text", "structured")
	r.oneOf("overlongResult", &c.OverlongResult, "cut", "fail")
	if on := r.boolean("sandbox.webGlobals"); on != nil {
		c.Sandbox.WebGlobals = *on
	}
	if r.err != nil {
		return hostapi.Config{}, nil, r.err
	}
	clamped, err := readNumbers(root, document, &c)
	if err != nil {
		return hostapi.Config{}, nil, err
	}
	return c, clamped, nil
}

// readNumbers lays the numbers of the document over those in c. Paths in errors and clamps begin with root.
func readNumbers(root string, document map[string]any, c *hostapi.Config) ([]hostapi.Clamp, error) {
	r := reader{root: root, document: document}
	var clamped []hostapi.Clamp
	for _, n := range numbers(c) {
		asked, ok := r.integer(n.path)
		if !ok {
			continue
		}
		*n.value = min(max(asked, n.min), n.max)
		if *n.value != asked {
			clamped = append(clamped, hostapi.Clamp{Path: n.path, Requested: asked, Effective: *n.value})
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return clamped, nil
}

// A reader looks members up by dotted path and remembers the first that has the wrong type.
type reader struct {
	root     string
	document map[string]any
	err      error
}

// find gives the member at path. An absent member, or one of an absent object, is not ok.
func (r *reader) find(path string) (value any, ok bool) {
	inner := r.document
	parts := strings.Split(path, ".")
	for i, part := range parts {
		if value, ok = inner[part]; !ok || i == len(parts)-1 {
			return value, ok
		}
		if inner, ok = value.(map[string]any); !ok {
			r.fail(strings.Join(parts[:i+1], "."), "an object", value)
			return nil, false
		}
	}
	return value, ok
}

func (r *reader) fail(path, expected string, got any) {
	if r.err == nil {
		r.err = mismatch(join(r.root, path), expected, got)
	}
}

func (r *reader) boolean(path string) *bool {
	value, ok := r.find(path)
	if !ok {
		return nil
	}
	b, ok := value.(bool)
	if !ok {
		r.fail(path, "a boolean", value)
	}
	return &b
}

func (r *reader) strings(path string) ([]string, bool) {
	value, ok := r.find(path)
	if !ok {
		return nil, false
	}
	items, ok := value.([]any)
	if !ok {
		r.fail(path, "an array of strings", value)
		return nil, false
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if texts[i], ok = item.(string); !ok {
			r.fail(fmt.Sprintf("%s[%d]", path, i), "a string", item)
		}
	}
	return texts, true
}

func (r *reader) oneOf(path string, into *string, words ...string) {
	value, ok := r.find(path)
	if !ok {
		return
	}
	word, ok := value.(string)
	if !ok || !slices.Contains(words, word) {
		r.fail(path, fmt.Sprintf("%q or %q", words[0], words[1]), value)
		return
	}
	*into = word
}

func (r *reader) integer(path string) (int64, bool) {
	value, ok := r.find(path)
	if !ok {
		return 0, false
	}
	number, ok := value.(json.Number)
	n, whole := integer(number.String())
	if !ok || !whole {
		r.fail(path, "an integer", value)
		return 0, false
	}
	return n, true
}

// integer takes every spelling of a whole number that other languages' JSON writers use (1000, 1000.0, 1e3). One
// beyond int64 becomes the nearest int64: it will be clamped anyway.
func integer(spelling string) (int64, bool) {
	if n, err := strconv.ParseInt(spelling, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(spelling, 64)
	switch {
	case err != nil && !math.IsInf(f, 0), f != math.Trunc(f):
		return 0, false
	case f >= math.MaxInt64:
		return math.MaxInt64, true
	case f <= math.MinInt64:
		return math.MinInt64, true
	}
	return int64(f), true
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}
