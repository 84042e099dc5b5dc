package worker

import (
	"math"
	"strings"

	"github.com/dop251/goja"
)

// format joins the arguments of a console call with spaces. A first argument that is text may hold %s, %d, %i,
// %f, %j, %o, %O, %c and %%.
func (in *inspector) format(args []goja.Value) string {
	var b strings.Builder
	if len(args) > 1 {
		if first, ok := args[0].(goja.String); ok && strings.Contains(first.String(), "%") {
			args = in.fill(&b, first.String(), args[1:])
			if len(args) > 0 {
				b.WriteByte(' ')
			}
		}
	}
	for i, v := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(in.top(v))
	}
	return b.String()
}

// top prints a value that stands by itself: text as it is.
func (in *inspector) top(v goja.Value) string {
	if s, ok := v.(goja.String); ok {
		return s.String()
	}
	return in.value(v)
}

// fill writes the format and returns the arguments it left over.
func (in *inspector) fill(b *strings.Builder, format string, args []goja.Value) []goja.Value {
	for {
		at := strings.IndexByte(format, '%')
		if at < 0 || at+1 == len(format) {
			b.WriteString(format)
			return args
		}
		b.WriteString(format[:at])
		verb := format[at+1]
		format = format[at+2:]
		if verb == '%' {
			b.WriteByte('%')
			continue
		}
		if !strings.ContainsRune("sdifjoOc", rune(verb)) || len(args) == 0 {
			b.WriteByte('%')
			b.WriteByte(verb)
			continue
		}
		b.WriteString(in.verb(verb, args[0]))
		args = args[1:]
	}
}

func (in *inspector) verb(verb byte, v goja.Value) string {
	switch verb {
	case 's':
		return in.top(v)
	case 'c':
		return ""
	case 'j':
		c := encoder{realm: in.realm, limit: max(in.budget, 0)}
		if err := c.encode(v); err != nil {
			return "[" + err.Error() + "]"
		}
		return string(c.out)
	case 'd', 'i', 'f':
		switch v := v.(type) {
		case *goja.Object, *goja.Symbol:
			return "NaN"
		default:
			n := v.ToNumber()
			if f := n.ToFloat(); verb == 'i' && f == f && !math.IsInf(f, 0) {
				return in.realm.vm.ToValue(math.Trunc(f)).String()
			}
			return n.String()
		}
	}
	return in.value(v)
}
