package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/go-json-experiment/json/jsontext"
)

// rewriteRegExp is regexp.js's view of rewriteRegExp: null where the engine reads the pattern rightly by itself, a
// pair of pattern and flags, or the text of a SyntaxError.
func (r *realm) rewriteRegExp(c goja.FunctionCall) goja.Value {
	pattern, flags := c.Argument(0).String(), c.Argument(1).String()
	if !ownRegExp(pattern, flags) {
		return goja.Null()
	}
	pattern, flags, err := rewriteRegExp(pattern, flags)
	if err != nil {
		return r.vm.ToValue(err.Error())
	}
	return r.vm.NewArray(pattern, flags)
}

// sum adds numbers exactly and rounds once, as Math.sumPrecise does.
func (r *realm) sum(c goja.FunctionCall) goja.Value {
	var special float64 // NaN or an infinity decides alone
	total := new(big.Float).SetPrec(2200)
	negativeZero := true
	for _, v := range r.list(c.Argument(0)) {
		x := v.ToFloat()
		if x-x != 0 {
			special += x
			continue
		}
		if x != 0 || 1/x > 0 {
			negativeZero = false
		}
		total.Add(total, new(big.Float).SetFloat64(x))
	}
	switch sum, _ := total.Float64(); {
	case special != 0:
		return r.vm.ToValue(special)
	case negativeZero:
		return goja.Value(r.vm.ToValue(negZero()))
	default:
		return r.vm.ToValue(sum)
	}
}

func negZero() float64 { return math.Copysign(0, -1) }

// parseJSON is JSON.parse without its reviver. What is not JSON gives the text of a SyntaxError in a one-element array.
func (r *realm) parseJSON(c goja.FunctionCall) goja.Value {
	text := c.Argument(0).String()
	if strings.TrimSpace(text) == "" {
		return r.vm.NewArray(textJSONEnd)
	}
	if text == objectText {
		return r.vm.NewArray(textJSONObject)
	}
	d := decoder{realm: r, proto: r.objectProto}
	v, err := d.decode([]byte(text))
	if err != nil {
		return r.vm.NewArray(jsonProblem(text, err))
	}
	return r.vm.NewArray(goja.Undefined(), v)
}

// indentJSON lays a JSON text out with a gap for each level. One too deep for that stays on its line.
func (r *realm) indentJSON(c goja.FunctionCall) goja.Value {
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(c.Argument(0).String()), "", c.Argument(1).String()); err != nil {
		return c.Argument(0)
	}
	return r.vm.ToValue(out.String())
}

// objectText is what an object says of itself as text, and what json.js says for one that cannot.
const objectText = "[object Object]"

// jsonProblem says where a text stops being JSON.
func jsonProblem(text string, err error) string {
	var at *jsontext.SyntacticError
	switch {
	case errors.As(err, &at) && errors.Is(err, io.ErrUnexpectedEOF):
		return textJSONEnd
	case errors.As(err, &at) && strings.Contains(err.Error(), "exceeded max depth"):
		return textJSONDeep
	case errors.As(err, &at) && int(at.ByteOffset) < len(text):
		rest := text[at.ByteOffset:]
		token, _ := utf8.DecodeRuneInString(rest)
		return textJSONToken(string(token), utf16Len(text[:at.ByteOffset]), cutUnits(rest, jsonShown))
	}
	return textJSONEnd
}

// jsonShown is how much of a text that is not JSON is shown from the wrong place on.
const jsonShown = 20
