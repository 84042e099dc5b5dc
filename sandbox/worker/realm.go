package worker

import (
	"embed"
	"hash/maphash"
	"reflect"
	"runtime"
	"sync"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
)

//go:embed prelude/*.js
var preludeFiles embed.FS

// preludeParts compiles each part of the guest side of the sandbox when it is first asked for, once for the process. The
// parts are written in what the engine itself can read: nothing in them is lowered.
var preludeParts = map[string]func() *goja.Program{
	"bridge": part("bridge"), "poly": part("poly"), "iterator": part("iterator"), "regexp": part("regexp"),
	"json": part("json"), "locale": part("locale"), "web": part("web"), "harden": part("harden"),
}

func part(name string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program {
		src, err := preludeFiles.ReadFile("prelude/" + name + ".js")
		if err != nil {
			panic("worker: " + err.Error())
		}
		return goja.MustCompile("sandbox:"+name, string(src), true)
	})
}

// A realm is one fresh engine with the sandbox's prelude in it, before tools and console.
type realm struct {
	vm             *goja.Runtime
	objectProto    *goja.Object
	typeErrorProto *goja.Object
	bigs           bigs
	layout         layout
	texts          textStore
	tools          *goja.Object // the script's tools object, nil before it is made

	collators map[collatorKey]*collate.Collator

	// functions of the prelude
	entries, items, isoDateOf, regExpText goja.Callable
	makeFunction, makeError, bag          goja.Callable
	makeRangeError, stringOf              goja.Callable
	descriptor, ownKeys                   goja.Callable
	keys, isArray, member, setMember      goja.Callable
}

func newRealm() *realm {
	vm := goja.New()
	vm.SetMaxCallStackSize(maxCallDepth + spareDepth)
	r := &realm{vm: vm, bigs: bigs{}, layout: newLayout(vm), texts: textStore{seed: maphash.MakeSeed()}, collators: map[collatorKey]*collate.Collator{}}
	r.objectProto = vm.NewObject().Prototype()
	r.typeErrorProto = vm.GlobalObject().Get("TypeError").(*goja.Object).Get("prototype").(*goja.Object)
	r.plainTypeErrors()
	bridge := r.prelude("bridge").(*goja.Object)
	for name, f := range map[string]*goja.Callable{
		"entries": &r.entries, "items": &r.items, "isoDate": &r.isoDateOf, "regExpText": &r.regExpText, "stringOf": &r.stringOf,
		"makeFunction": &r.makeFunction, "makeError": &r.makeError, "makeRangeError": &r.makeRangeError, "bag": &r.bag,
		"getOwnPropertyDescriptor": &r.descriptor, "ownKeys": &r.ownKeys,
		"keys": &r.keys, "isArray": &r.isArray, "member": &r.member, "setMember": &r.setMember,
	} {
		*f, _ = goja.AssertFunction(bridge.Get(name))
	}
	natives := vm.NewObject()
	natives.Set("sum", r.native("sum", r.sum))
	r.prelude("poly", natives)
	r.prelude("iterator")
	r.prelude("regexp", r.native("rewrite", r.rewriteRegExp), r.native("plainer", func(c goja.FunctionCall) goja.Value {
		return vm.ToValue(plainRegExpText(c.Argument(0).String()))
	}))
	r.prelude("json", r.native("parse", r.parseJSON), r.native("indent", r.indentJSON))
	r.prelude("locale", r.localeNatives())
	r.prelude("harden", vm.ToValue(textNoEval))
	return r
}

// prelude runs one part of the prelude, which is a function, and returns what it returns. It fails only if the
// prelude itself is wrong.
func (r *realm) prelude(name string, args ...goja.Value) goja.Value {
	v, err := r.vm.RunProgram(preludeParts[name]())
	if err != nil {
		panic("worker: prelude " + name + ": " + err.Error())
	}
	f, _ := goja.AssertFunction(v)
	out, err := f(goja.Undefined(), args...)
	if err != nil {
		panic("worker: prelude " + name + ": " + err.Error())
	}
	return out
}

// native makes a function for the prelude's closures. A Go panic in it becomes an internal failure of the run, and
// its Go name is taken off, since it would show in stack traces.
func (r *realm) native(name string, f func(goja.FunctionCall) goja.Value) goja.Value {
	v := r.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		defer func() {
			if x := recover(); x != nil {
				if e, ok := x.(runtime.Error); ok {
					panic(engineFault{e})
				}
				panic(x)
			}
		}()
		return f(call)
	})
	if err := v.(*goja.Object).DefineDataProperty("name", r.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		panic("worker: " + err.Error())
	}
	return v
}

// engineFault is a mistake of ours or the engine's, on its way up to guard.
type engineFault struct{ error }

// must returns what a function of the prelude returned; what it throws goes on as the script's exception.
func must(v goja.Value, err error) goja.Value {
	if err != nil {
		panic(err)
	}
	return v
}

// isoDate gives a Date's ISO text, nil for an invalid one.
func (r *realm) isoDate(o *goja.Object) goja.Value {
	if v := must(r.isoDateOf(nil, o)); !goja.IsNull(v) {
		return v
	}
	return nil
}

// list gives the elements of an array of the realm.
func (r *realm) list(v goja.Value) []goja.Value {
	var out []goja.Value
	if o, ok := v.(*goja.Object); ok {
		n := int(o.Get("length").ToInteger())
		out = make([]goja.Value, n)
		for i := range out {
			out[i] = o.Get(indexKey(i))
		}
	}
	return out
}

// unbox gives the primitive in a wrapper object such as new Number(1).
func (r *realm) unbox(o *goja.Object) goja.Value {
	if o.ClassName() == "String" {
		return must(r.stringOf(nil, o))
	}
	switch v := o.Export().(type) {
	case string: // a Symbol's wrapper
		return r.vm.NewObject()
	default:
		return r.vm.ToValue(v)
	}
}

// asData gives ordinary data for an object JSON knows nothing of, nil if its own members are all there is to say.
func (r *realm) asData(o *goja.Object, kind objectKind) goja.Value {
	switch kind {
	case kindMap:
		return r.mapData(r.list(must(r.entries(nil, o))))
	case kindSet:
		return must(r.items(nil, o))
	case kindError:
		return r.errorData(o)
	case kindRegExp:
		return must(r.regExpText(nil, o))
	case kindTyped:
		n := reflect.ValueOf(o.Export()).Len()
		items := make([]any, n)
		for i := range items {
			items[i] = o.Get(indexKey(i))
		}
		return r.vm.NewArray(items...)
	case kindBuffer, kindPromise:
		return r.vm.NewObject()
	}
	return nil
}

// mapData makes an object of a Map with text keys, otherwise an array of its entries.
func (r *realm) mapData(entries []goja.Value) goja.Value {
	object := r.vm.CreateObject(nil)
	for _, e := range entries {
		pair := r.list(e)
		key, ok := pair[0].(goja.String)
		if !ok {
			return r.vm.ToValue(r.arrayOf(entries))
		}
		if err := object.Set(key.String(), pair[1]); err != nil {
			panic(err)
		}
	}
	return object
}

func (r *realm) arrayOf(values []goja.Value) *goja.Object {
	items := make([]any, len(values))
	for i, v := range values {
		items[i] = v
	}
	return r.vm.NewArray(items...)
}

// errorData gives an Error's name, message, cause and own members.
func (r *realm) errorData(o *goja.Object) goja.Value {
	data := r.vm.CreateObject(nil)
	keys := append([]string{"name", "message", "cause"}, o.Keys()...)
	for _, key := range keys {
		if v := o.Get(key); v != nil && !goja.IsUndefined(v) && key != "stack" {
			if err := data.Set(key, v); err != nil {
				panic(err)
			}
		}
	}
	return data
}
