package worker

import (
	"reflect"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

func (c *encoder) object(o *goja.Object) {
	kind := c.realm.kindOf(o)
	if !c.strict {
		v, replaced := c.toJSON(o, kind)
		other, isObject := v.(*goja.Object)
		if replaced && !isObject {
			c.value(v)
			return
		}
		if replaced {
			o, kind = other, c.realm.kindOf(other) // whose own toJSON is not asked
		}
	}
	if len(c.open) >= wire.MaxDepth {
		c.refuse(reasonDeep)
	}
	for _, up := range c.open {
		if up == o {
			c.refuse(reasonCycle)
		}
	}
	c.open = append(c.open, o)
	c.opened(o, kind)
	c.open = c.open[:len(c.open)-1]
}

// opened writes an object that is none of those it stands in.
func (c *encoder) opened(o *goja.Object, kind objectKind) {
	if c.strict {
		if reason := strictReason(kind); reason != "" {
			c.refuse(reason)
		}
	} else if v := c.realm.asData(o, kind); v != nil {
		c.warn(lossOf(kind))
		c.value(v)
		return
	}
	switch kind {
	case kindArray:
		c.array(o)
	case kindProxy:
		if must(c.realm.isArray(nil, o)).ToBoolean() {
			c.array(o)
		} else {
			c.members(o)
		}
	case kindRaw:
		c.out = append(c.out, o.Get("rawJSON").String()...)
	case kindBoxed:
		c.value(c.realm.unbox(o))
	case kindFunction:
		c.lossy("", lossFunction, "null")
	case kindInstance:
		c.instance(o)
	default:
		c.members(o)
	}
}

// instance writes an object of a class. An iterator has no members, so what it would have given is lost.
func (c *encoder) instance(o *goja.Object) {
	if len(o.Keys()) == 0 {
		if _, iterator := goja.AssertFunction(o.Get("next")); iterator {
			c.warn(lossIterator)
		}
	}
	c.members(o)
}

func (c *encoder) array(o *goja.Object) {
	n := int(o.Get("length").ToInteger())
	c.out = append(c.out, '[')
	c.at = append(c.at, step{array: true, moved: c.realm.bigs.moved(o)})
	for i := range n {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		c.at[len(c.at)-1].index = i
		c.value(c.item(o, i))
	}
	c.at = c.at[:len(c.at)-1]
	c.out = append(c.out, ']')
}

func (c *encoder) item(o *goja.Object, i int) goja.Value {
	if v := c.realm.layout.item(o, i); v != nil {
		return v
	}
	return o.Get(indexKey(i))
}

func (c *encoder) members(o *goja.Object) {
	if c.strict && len(o.Symbols()) > 0 {
		c.refuse(reasonSymbolKey)
	}
	names, values, plain := c.realm.layout.members(o)
	var keys []string
	var odd []goja.Value
	if !plain {
		keys = o.Keys()
		odd = c.oddKeys(o, keys)
	}
	c.out = append(c.out, '{')
	c.at = append(c.at, step{})
	if plain {
		c.plainMembers(o, names, values)
	} else {
		c.listedMembers(o, keys, odd)
	}
	c.at = c.at[:len(c.at)-1]
	c.out = append(c.out, '}')
}

// plainMembers writes the members of an ordinary object. What it writes may run code of the script, so it keeps a list
// of the names and asks for each value when it is its turn.
func (c *encoder) plainMembers(o *goja.Object, names []unistring.String, values map[unistring.String]goja.Value) {
	kept := len(c.names)
	c.names = append(c.names, names...)
	for i := range names {
		name := c.names[kept+i]
		if !c.enter(string(name)) {
			continue
		}
		v := values[name]
		if !c.realm.layout.data(v) {
			v = o.Get(string(name))
		}
		c.member(nil, v)
	}
	c.names = c.names[:kept]
}

// listedMembers writes the members with these keys of any object; odd as oddKeys gives it.
func (c *encoder) listedMembers(o *goja.Object, keys []string, odd []goja.Value) {
	for i, key := range keys {
		switch {
		case !c.enter(key):
		case odd == nil:
			c.member(nil, o.Get(key))
		default:
			c.member(odd[i], must(c.realm.member(nil, o, odd[i])))
		}
	}
}

// enter goes on to the member with this key, and says whether it may be written.
func (c *encoder) enter(key string) bool {
	c.at[len(c.at)-1].key = key
	if key == protoKey && c.strict {
		c.refuse(reasonProto)
	}
	return key != protoKey
}

// member writes the member in hand. If odd is given it is the key as the script has it.
func (c *encoder) member(odd, v goja.Value) {
	if c.leftOut(v) {
		return
	}
	if c.out[len(c.out)-1] != '{' { // no value ends so
		c.out = append(c.out, ',')
	}
	if odd == nil {
		c.out = quote(c.out, c.lastKey())
	} else {
		c.text(odd.(goja.String))
	}
	c.out = append(c.out, ':')
	c.value(v)
}

// oddKeys gives an object's keys as the script has them if one of them may hold half a surrogate pair, which Go's
// text of it does not show; nil otherwise.
func (c *encoder) oddKeys(o *goja.Object, keys []string) []goja.Value {
	for _, key := range keys {
		if strings.ContainsRune(key, '\ufffd') {
			if odd := c.realm.list(must(c.realm.keys(nil, o))); len(odd) == len(keys) {
				return odd
			}
		}
	}
	return nil
}

// leftOut says whether a member with this value is left out of its object, as JSON.stringify does it.
func (c *encoder) leftOut(v goja.Value) bool {
	if v == nil || goja.IsUndefined(v) {
		return true
	}
	if c.strict {
		return false
	}
	switch v := v.(type) {
	case *goja.Symbol:
		c.warn(lossSymbolMember)
		return true
	case *goja.Object:
		if t := v.ExportType(); t == typeFunction || t == typeClass || t.Kind() == reflect.Func {
			if c.lastKey() != "toJSON" {
				c.warn(lossFunctionMember)
			}
			return true
		}
	}
	return false
}

// toJSON gives what a return value's object is written as instead, if it says so itself.
func (c *encoder) toJSON(o *goja.Object, kind objectKind) (goja.Value, bool) {
	if kind == kindFunction || kind == kindRaw {
		return nil, false
	}
	if kind == kindDate {
		if iso := c.realm.isoDate(o); iso == nil {
			c.warn(lossInvalidDate)
			return goja.Null(), true
		}
	}
	to, ok := goja.AssertFunction(o.Get("toJSON"))
	if !ok {
		return nil, false
	}
	v, err := to(o, c.realm.vm.ToValue(c.lastKey()))
	if err != nil {
		panic(err)
	}
	return v, true
}
