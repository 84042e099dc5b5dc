package worker

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/dop251/goja"
)

// The script's recursion is bounded by a check the rewriter puts into its functions, whose RangeError a script can
// catch. What recurses without passing a check, such as a default parameter, meets the engine's own bound a little
// later; that one ends the script. Natives that call back hold Go stack for each level: ten thousand levels of the
// hungriest take about 16 MiB, well below what the lock-down allows.
const (
	maxCallDepth = 10_000
	spareDepth   = 500
)

// helpers are what the program's function takes, in the order of helperNames.
func (e *engine) helpers() []goja.Value {
	return []goja.Value{
		e.native("import", func(goja.FunctionCall) goja.Value {
			p, _, reject := e.vm.NewPromise()
			stack := e.vm.CaptureCallStack(keptFrames, nil)
			reject(must(e.makeError(nil, e.vm.ToValue(textNoImport), e.vm.ToValue(stackText("Error: "+textNoImport, stack)))))
			return e.vm.ToValue(p)
		}),
		e.enter(),
		e.native("tools", func(c goja.FunctionCall) goja.Value {
			if v := c.Argument(0); v != goja.Value(e.tools) {
				return v
			}
			return e.teachingView
		}),
		e.vm.GlobalObject().Get("RegExp"),
		e.native("look", func(c goja.FunctionCall) goja.Value {
			e.explainCaught(c.Argument(0))
			return nil
		}),
	}
}

// explainCaught gives a caught error of the engine's own the message it would have had uncaught: scripts hand the
// message on more often than the error.
func (e *engine) explainCaught(v goja.Value) {
	o, ok := v.(*goja.Object)
	if !ok || e.kindOf(o) != kindError || o.Prototype() != e.typeErrorProto || e.own(o, "name") != nil {
		return
	}
	d := e.own(o, "message")
	if d == nil {
		return
	}
	text, ok := d.Get("value").(goja.String) // none for a getter, which is the script's own
	if !ok || text.Length() > messageUnits || !cannotRead.MatchString(text.String()) {
		return
	}
	message := text.String()
	f := e.thrown(o)
	stack := e.property(o, "stack")
	e.vm.Try(func() {
		for key, text := range map[string]string{"message": f.Message, "stack": strings.Replace(stack, message, f.Message, 1)} {
			if err := o.Set(key, text); err != nil {
				return
			}
		}
	})
}

// own gives the descriptor of an object's own property, nil if it has none.
func (e *engine) own(o *goja.Object, name string) *goja.Object {
	d, _ := must(e.descriptor(nil, o, e.vm.ToValue(name))).(*goja.Object)
	return d
}

// enter makes the check of the call depth. It is called at the head of every function of the script that calls
// others, so it does nothing but compare.
func (e *engine) enter() goja.Value {
	depth := callDepth(e.vm)
	return e.vm.ToValue(func(goja.FunctionCall) goja.Value {
		if depth() > maxCallDepth {
			panic(must(e.makeRangeError(nil, e.vm.ToValue(textMaxCallDepth))))
		}
		return nil
	})
}

// callDepth gives a function that tells how many calls are open. The engine counts them in a private slice and
// exports no count; walking the stack instead would cost as much as the stack is deep.
func callDepth(vm *goja.Runtime) func() int {
	stack := reflect.ValueOf(vm).Elem().FieldByName("vm").Elem().FieldByName("callStack")
	header := (*[]struct{})(unsafe.Pointer(stack.UnsafeAddr()))
	return func() int { return len(*header) }
}
