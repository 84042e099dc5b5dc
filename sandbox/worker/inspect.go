package worker

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// An inspector prints values as a person expects to read them, close to what Node prints. It runs no code of the
// script: accessors are named, not called, and proxies are looked through.
type inspector struct {
	realm  *realm
	budget int // characters left, roughly: what comes after is dropped
	open   []*goja.Object
	ref    *goja.Object // an object met again inside itself
}

const (
	inspectDepth = 6   // nested objects shown
	inspectItems = 100 // elements shown of an array, Map or Set
	inspectWidth = 76  // longest object on one line
)

// value prints v as it stands in an object or array.
func (in *inspector) value(v goja.Value) string {
	if in.budget <= 0 {
		return "..."
	}
	s := in.print(v)
	in.budget -= len(s)
	return s
}

func (in *inspector) print(v goja.Value) string {
	switch v := v.(type) {
	case nil:
		return "undefined"
	case goja.String:
		return quoteSingle(cutUnits(v.String(), max(in.budget, 0)))
	case *goja.Symbol:
		return "Symbol(" + v.String() + ")"
	case *goja.Object:
		return in.object(v)
	}
	if n, ok := v.Export().(float64); ok && n == 0 && 1/n < 0 {
		return "-0"
	}
	if kind := v.ExportType(); kind != nil && kind.String() == "*big.Int" {
		return v.String() + "n"
	}
	return v.String()
}

// quoteSingle quotes like Node: the quote that needs no escape.
func quoteSingle(s string) string {
	q := "'"
	if strings.Contains(s, "'") {
		if !strings.Contains(s, `"`) {
			q = `"`
		} else if !strings.Contains(s, "`") {
			q = "`"
		}
	}
	r := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\b", `\b`, "\f", `\f`, "\v", `\v`, q, `\`+q)
	return q + r.Replace(s) + q
}

func (in *inspector) object(o *goja.Object) string {
	r := in.realm
	kind := r.kindOf(o)
	if o == r.tools {
		return "[object tools]"
	}
	for kind == kindProxy {
		p, _ := o.Export().(goja.Proxy)
		if p.Target() == nil {
			return "<Revoked Proxy>"
		}
		o = p.Target()
		kind = r.kindOf(o)
	}
	for _, up := range in.open {
		if up == o {
			in.ref = o
			return "[Circular *1]"
		}
	}
	if len(in.open) > inspectDepth {
		return "[" + in.className(o, kind) + "]"
	}
	in.open = append(in.open, o)
	s := in.shape(o, kind)
	in.open = in.open[:len(in.open)-1]
	if in.ref == o {
		in.ref = nil
		return "<ref *1> " + s
	}
	return s
}

// shape prints an object by its kind.
func (in *inspector) shape(o *goja.Object, kind objectKind) string {
	r := in.realm
	switch kind {
	case kindArray:
		return in.arrayText(o)
	case kindMap:
		return in.mapText(o)
	case kindSet:
		return in.setText(o)
	case kindTyped:
		return in.typedText(o)
	case kindFunction:
		return in.withMembers(in.functionText(o), o)
	case kindError:
		return in.errorText(o)
	case kindDate:
		if iso := r.isoDate(o); iso != nil {
			return in.withMembers(iso.String(), o)
		}
		return "Invalid Date"
	case kindRegExp:
		return in.withMembers(must(r.regExpText(nil, o)).String(), o)
	case kindBoxed:
		return fmt.Sprintf("[%s: %s]", in.className(o, kind), in.value(r.unbox(o)))
	case kindPromise:
		return in.promiseText(o.Export().(*goja.Promise))
	case kindBuffer:
		return fmt.Sprintf("ArrayBuffer { byteLength: %d }", len(o.Export().(goja.ArrayBuffer).Bytes()))
	case kindRaw:
		return in.own(o, "rawJSON").String()
	}
	head := ""
	if kind == kindInstance {
		head = in.className(o, kind) + " "
	}
	return block(head, "{", in.members(o, nil), "}")
}

// block lays out the inside of an object or array on one line or one a line.
func block(head, open string, parts []string, closing string) string {
	if len(parts) == 0 {
		return head + open + closing
	}
	n := len(head)
	multi := false
	for _, p := range parts {
		n += len(p) + 2
		multi = multi || strings.Contains(p, "\n")
	}
	if !multi && n <= inspectWidth {
		return head + open + " " + strings.Join(parts, ", ") + " " + closing
	}
	for i, p := range parts {
		parts[i] = "  " + strings.ReplaceAll(p, "\n", "\n  ")
	}
	return head + open + "\n" + strings.Join(parts, ",\n") + "\n" + closing
}

// withMembers adds an object's own members to its text, if there are any.
func (in *inspector) withMembers(text string, o *goja.Object) string {
	if parts := in.members(o, nil); len(parts) > 0 {
		return block(text+" ", "{", parts, "}")
	}
	return text
}

// members prints the own enumerable members that skip does not claim.
func (in *inspector) members(o *goja.Object, skip func(key string) bool) []string {
	var parts []string
	for _, key := range o.Keys() {
		if skip != nil && skip(key) {
			continue
		}
		if in.budget <= 0 {
			return append(parts, "...")
		}
		name := key
		if !identifier(key) {
			name = quoteSingle(key)
		}
		parts = append(parts, name+": "+in.memberText(o, in.realm.vm.ToValue(key)))
	}
	for _, sym := range o.Symbols() {
		if d := in.descriptorOf(o, sym); d != nil && d.Get("enumerable").ToBoolean() {
			parts = append(parts, "[Symbol("+sym.String()+")]: "+in.memberText(o, sym))
		}
	}
	return parts
}

// descriptorOf reads a property's descriptor, nil if there is none.
func (in *inspector) descriptorOf(o *goja.Object, key goja.Value) *goja.Object {
	d, _ := must(in.realm.descriptor(nil, o, key)).(*goja.Object)
	return d
}

func (in *inspector) memberText(o *goja.Object, key goja.Value) string {
	d := in.descriptorOf(o, key)
	if d == nil {
		return "undefined"
	}
	get, set := d.Get("get"), d.Get("set")
	switch has := func(v goja.Value) bool { return v != nil && !goja.IsUndefined(v) }; {
	case has(get) && has(set):
		return "[Getter/Setter]"
	case has(get):
		return "[Getter]"
	case has(set):
		return "[Setter]"
	}
	return in.value(d.Get("value"))
}

// own reads a data property without running an accessor.
func (in *inspector) own(o *goja.Object, key string) goja.Value {
	if d := in.descriptorOf(o, in.realm.vm.ToValue(key)); d != nil {
		if v := d.Get("value"); v != nil {
			return v
		}
	}
	return goja.Undefined()
}

// className is the name of the class an object is of, found on its prototypes.
func (in *inspector) className(o *goja.Object, kind objectKind) string {
	for p := o; p != nil && in.realm.kindOf(p) != kindProxy; p = p.Prototype() {
		if c, ok := in.own(p, "constructor").(*goja.Object); ok && c != nil && p != o {
			if name, ok := in.own(c, "name").(goja.String); ok && name.Length() > 0 {
				return name.String()
			}
		}
	}
	if kind == kindArray {
		return "Array"
	}
	return "Object"
}

func (in *inspector) promiseText(p *goja.Promise) string {
	switch p.State() {
	case goja.PromiseStateFulfilled:
		return block("Promise ", "{", []string{in.value(p.Result())}, "}")
	case goja.PromiseStateRejected:
		return block("Promise ", "{", []string{"<rejected> " + in.value(p.Result())}, "}")
	}
	return "Promise { <pending> }"
}

func (in *inspector) functionText(o *goja.Object) string {
	name := "(anonymous)"
	if s, ok := in.own(o, "name").(goja.String); ok && s.Length() > 0 {
		name = s.String()
	}
	if o.ExportType() == typeClass {
		return "[class " + name + "]"
	}
	kind := "Function"
	if p := o.Prototype(); p != nil {
		if s, ok := in.own(p, "constructor").(*goja.Object); ok {
			if n, ok := in.own(s, "name").(goja.String); ok && n.Length() > 0 {
				kind = n.String()
			}
		}
	}
	if name == "(anonymous)" {
		return "[" + kind + " (anonymous)]"
	}
	return "[" + kind + ": " + name + "]"
}

func indexKey(i int) string { return strconv.Itoa(i) }
