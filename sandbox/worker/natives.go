package worker

import (
	"math"
	"math/big"
	"strings"

	"github.com/dop251/goja"
)

// rewriteRegExp is regexp.js's view of rewriteRegExp: null where the engine reads the pattern rightly by itself, a
// pair of pattern and flags, or the text of a SyntaxError.
func (r *realm) rewriteRegExp(c goja.FunctionCall) goja.Value {
	pattern, flags := c.Argument(0).String(), c.Argument(1).String()
	if !ownRegExp(pattern, flags) || strings.Contains(flags, "d") {
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
