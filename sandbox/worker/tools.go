package worker

import (
	"encoding/json"
	"strings"

	"github.com/dop251/goja"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// newTools makes the tools object. Names with the job's prefix are functions without being looked up: the parent
// knows what exists and refuses the rest. Everything else is undefined, then above all, so that awaiting, printing
// and serializing the object do what they do with any other. The job's names are looked at when a script runs.
func (e *engine) newTools() goja.Value {
	made := map[string]goja.Value{}
	call := e.native("call", func(c goja.FunctionCall) goja.Value {
		return e.invoke(c.Argument(0).String(), e.list(c.Argument(1)))
	})
	function := func(name string) goja.Value {
		if f, ok := made[name]; ok {
			return f
		}
		f := must(e.makeFunction(nil, e.vm.ToValue(name), call))
		made[name] = f
		return f
	}
	var known map[string]goja.Value // made when first asked for; what a failure there throws is not kept
	special := func() map[string]goja.Value {
		if known != nil {
			return known
		}
		search := e.native("search", func(c goja.FunctionCall) goja.Value {
			return e.invoke(e.searchName(), e.list(c.Argument(1)))
		})
		text := e.native("toString", func(goja.FunctionCall) goja.Value { return e.vm.ToValue("[object tools]") })
		known = map[string]goja.Value{
			e.start.Namespace: must(e.bag(nil, e.vm.NewArray(e.start.Search), search)),
			e.start.Search:    e.teaching(e.start.Search),
			"toString":        must(e.makeFunction(nil, e.vm.ToValue("toString"), text)),
		}
		return known
	}
	get := func(name string) goja.Value {
		if e.callable(name) {
			return function(name)
		}
		if v, ok := special()[name]; ok {
			return v
		}
		return goja.Undefined()
	}
	e.teachingView = e.newTeachingView(get)
	return e.vm.ToValue(e.vm.NewProxy(e.vm.CreateObject(nil), e.toolTraps(get)))
}

// ordinary are the members that are called on any object; they stay as undefined as they are.
var ordinary = map[string]bool{
	"then": true, "toJSON": true, "valueOf": true, "constructor": true, "hasOwnProperty": true,
	"isPrototypeOf": true, "propertyIsEnumerable": true, "toLocaleString": true, "catch": true, "finally": true,
}

// newTeachingView makes what the rewriter puts in the place of tools where a member of it is called: the same, but
// that a name nothing stands under is a function that says how tools are found.
func (e *engine) newTeachingView(get func(string) goja.Value) goja.Value {
	return e.vm.ToValue(e.vm.NewProxy(e.vm.CreateObject(nil), &goja.ProxyTrapConfig{
		Get: func(_ *goja.Object, name string, _ goja.Value) goja.Value {
			if v := get(name); !goja.IsUndefined(v) || ordinary[name] {
				return v
			}
			return e.teaching(name)
		},
	}))
}

// toolTraps reads through get, lists what the parent names, and changes nothing.
func (e *engine) toolTraps(get func(string) goja.Value) *goja.ProxyTrapConfig {
	return &goja.ProxyTrapConfig{
		Get: func(_ *goja.Object, name string, _ goja.Value) goja.Value { return get(name) },
		Has: func(_ *goja.Object, name string) bool { return name == e.start.Namespace || e.known()[name] },
		OwnKeys: func(*goja.Object) *goja.Object {
			e.known()
			keys := make([]any, 0, len(e.order)+1)
			for _, name := range e.order {
				keys = append(keys, name)
			}
			return e.vm.NewArray(append(keys, e.start.Namespace)...)
		},
		GetOwnPropertyDescriptor: func(_ *goja.Object, name string) goja.PropertyDescriptor {
			if name != e.start.Namespace && !e.known()[name] {
				return goja.PropertyDescriptor{}
			}
			return goja.PropertyDescriptor{
				Value:    get(name),
				Writable: goja.FLAG_FALSE, Configurable: goja.FLAG_TRUE,
				Enumerable: goja.ToFlag(name != e.start.Namespace),
			}
		},
		DefineProperty:    func(*goja.Object, string, goja.PropertyDescriptor) bool { return false },
		DefinePropertySym: func(*goja.Object, *goja.Symbol, goja.PropertyDescriptor) bool { return false },
		Set:               func(*goja.Object, string, goja.Value, goja.Value) bool { return false },
		SetSym:            func(*goja.Object, *goja.Symbol, goja.Value, goja.Value) bool { return false },
		DeleteProperty:    func(*goja.Object, string) bool { return false },
		SetPrototypeOf:    func(_, proto *goja.Object) bool { return proto == nil },
		PreventExtensions: func(*goja.Object) bool { return false },
	}
}

// callable says whether name is a function whatever the pool holds.
func (e *engine) callable(name string) bool {
	return e.start.Prefix != "" && strings.HasPrefix(name, e.start.Prefix)
}

// searchName is the search entry's name on the wire.
func (e *engine) searchName() string { return e.start.Namespace + "." + e.start.Search }

// teaching makes a function that rejects, saying how tools are found.
func (e *engine) teaching(name string) goja.Value {
	return must(e.makeFunction(nil, e.vm.ToValue(name), e.native(name, func(goja.FunctionCall) goja.Value {
		p, resolve, reject := e.vm.NewPromise()
		c := &call{name: name, resolve: resolve, reject: reject, stack: e.vm.CaptureCallStack(keptFrames, nil)}
		e.rejectCall(c, "", textNoSuchTool(name, e.start))
		return e.vm.ToValue(p)
	})))
}

// known asks the parent, once, what the script could call. Calls that are settled meanwhile stay in the pipe's
// order: they are kept and taken up afterwards.
func (e *engine) known() map[string]bool {
	if e.names != nil {
		return e.names
	}
	e.link.mustSend(wire.Names, 0, nil, nil)
	f := e.link.await(wire.Names)
	if err := json.Unmarshal(f.Body, &e.order); err != nil {
		panic(linkLost{err})
	}
	e.names = make(map[string]bool, len(e.order))
	for _, name := range e.order {
		e.names[name] = true
	}
	return e.names
}
