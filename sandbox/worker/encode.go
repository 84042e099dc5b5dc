package worker

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// An encoder writes a value of the script as JSON in one pass, so that nothing can answer differently the second
// time it is asked. As strict, which is for arguments, it refuses whatever is not plain data; otherwise, which is
// for return values, it writes the nearest JSON and warns. Both keep key order and refuse cycles.
type encoder struct {
	realm  *realm
	strict bool
	limit  int // bytes

	out      []byte
	at       []step             // where the value in hand stands
	names    []unistring.String // of the members of the objects in open, see plainMembers
	open     []*goja.Object     // the objects it is in
	warnings []string
	more     int // warnings beyond those kept
}

// A step is one member name or array index of a path.
type step struct {
	key   string
	index int  // of an array
	array bool // index counts, not key
	moved bool // an array whose wide integers are not where they were
}

// A refusal ends an encoding; its text says what to do instead.
type refusal struct {
	path   path
	reason string
}

func (r refusal) Error() string { return r.path.String() + " " + r.reason }

// keptWarnings bounds the warnings of one value; the last of them counts the rest.
const keptWarnings = 10

// encode writes v. The error is a refusal, or the exception a getter of the script threw with its path.
func (c *encoder) encode(v goja.Value) (err error) {
	defer func() {
		if x := recover(); x != nil {
			r, ok := x.(refusal)
			if !ok {
				panic(x)
			}
			err = r
		}
	}()
	if ex := c.realm.vm.Try(func() { c.value(v) }); ex != nil {
		return refusal{c.path(), textGetterThrew(c.realm.describeShort(ex.Value()))}
	}
	if len(c.out) > c.limit {
		c.at = nil
		c.refuse(textTooLarge)
	}
	return nil
}

func (c *encoder) path() path {
	p := rootPath
	for _, s := range c.at {
		if s.array {
			p = p.index(s.index)
		} else {
			p = p.member(s.key)
		}
	}
	return p
}

func (c *encoder) refuse(reason string) { panic(refusal{c.path(), reason}) }

// lossy writes what stands for a value JSON cannot hold, or refuses it.
func (c *encoder) lossy(strictReason, warning, json string) {
	if c.strict {
		c.refuse(strictReason)
	}
	c.warn(warning)
	c.out = append(c.out, json...)
}

func (c *encoder) warn(text string) {
	if len(c.warnings) < keptWarnings {
		c.warnings = append(c.warnings, textLossy(c.path().String(), text))
	} else {
		c.more++
	}
}

// value writes any value but one that leaves its member out.
func (c *encoder) value(v goja.Value) {
	if len(c.out) > c.limit {
		c.refuse(textTooLarge)
	}
	switch v := v.(type) {
	case nil:
		c.lossy(reasonUndefined, lossUndefined, "null")
	case *goja.Object:
		c.object(v)
	case *goja.Symbol:
		c.lossy(reasonSymbol, lossSymbol, "null")
	case goja.String:
		c.text(v)
	default:
		c.primitive(v)
	}
}

func (c *encoder) primitive(v goja.Value) {
	switch x := v.Export().(type) {
	case nil:
		if goja.IsUndefined(v) {
			c.lossy(reasonUndefined, lossUndefined, "null")
			return
		}
		c.out = append(c.out, "null"...)
	case bool:
		c.out = strconv.AppendBool(c.out, x)
	case int64:
		if digits := c.exact(float64(x)); digits != "" {
			c.out = append(c.out, digits...)
			return
		}
		c.out = strconv.AppendInt(c.out, x, 10)
	case float64:
		c.number(v, x)
	case *big.Int:
		c.refuse(reasonBigInt)
	default:
		c.refuse(reasonUnknown)
	}
}

func (c *encoder) number(v goja.Value, x float64) {
	if x-x != 0 { // NaN and the infinities
		c.lossy(reasonNumber(v.String()), lossNumber(v.String()), "null")
		return
	}
	if digits := c.exact(x); digits != "" {
		c.out = append(c.out, digits...)
		return
	}
	if s := v.String(); s == "-0" {
		c.out = append(c.out, '0')
	} else {
		c.out = append(c.out, s...)
	}
}

// exact gives the digits a tool sent for the number in hand, "" where the number speaks for itself.
func (c *encoder) exact(x float64) string {
	n := len(c.open)
	if n == 0 || len(c.realm.bigs) == 0 || len(c.at) > 0 && c.at[len(c.at)-1].moved {
		return ""
	}
	return c.realm.bigs.exact(c.open[n-1], c.lastKey(), x)
}

// text writes a string; half a surrogate pair becomes an escape, as JSON.stringify has it.
func (c *encoder) text(s goja.String) {
	plain := s.String()
	if strings.ContainsRune(plain, '\ufffd') {
		c.out = quote16(c.out, s)
		return
	}
	c.out = quote(c.out, plain)
}

func (c *encoder) lastKey() string {
	if len(c.at) == 0 {
		return ""
	}
	if s := c.at[len(c.at)-1]; !s.array {
		return s.key
	}
	return strconv.Itoa(c.at[len(c.at)-1].index)
}
