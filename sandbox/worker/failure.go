package worker

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/exec-ext/exec-ext/sandbox"
	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

func failed(kind sandbox.Kind, name, message string) *wire.FailedHead {
	return &wire.FailedHead{Kind: string(kind), Name: name, Message: message}
}

// failure words what unwound the script from outside its promise: a throw while it started, the end of the call
// stack.
func (e *engine) failure(err error) *wire.FailedHead {
	var overflow *goja.StackOverflowError
	var thrown *goja.Exception
	switch {
	case errors.As(err, &overflow):
		f := failed(sandbox.KindScript, "RangeError", textStackOverflow)
		e.place(f, overflow.Stack())
		return f
	case errors.As(err, &thrown):
		f := e.thrown(thrown.Value())
		if f.Line == 0 {
			e.place(f, thrown.Stack())
		}
		return f
	}
	return failed(sandbox.KindInternal, "", textEngineFault)
}

// thrown words a value the script threw and did not catch.
func (e *engine) thrown(v goja.Value) *wire.FailedHead {
	o, isObject := v.(*goja.Object)
	if c, ok := e.errors[o]; isObject && ok {
		return e.callFailed(o, c)
	}
	if !isObject || e.kindOf(o) != kindError {
		return failed(sandbox.KindScript, "", textThrewNoError(e.describe(v)))
	}
	f := failed(sandbox.KindScript, e.property(o, "name"), e.property(o, "message"))
	if f.Name == "" {
		f.Name = "Error"
	}
	if e.script != nil {
		e.placeFromText(f, e.property(o, "stack"))
	}
	f.Message = e.explain(o, f)
	return f
}

// callFailed words an uncaught Error of a nested call. The parent makes the run's kind of the call's.
func (e *engine) callFailed(o *goja.Object, c *callFailure) *wire.FailedHead {
	f := failed(sandbox.KindScript, e.property(o, "name"), e.property(o, "message"))
	f.CallKind = string(c.kind)
	e.place(f, c.stack)
	return f
}

// property reads a member for a message: text or nothing, whatever the script made of it.
func (e *engine) property(o *goja.Object, name string) (text string) {
	e.vm.Try(func() {
		if s, ok := o.Get(name).(goja.String); ok {
			text = cutUnits(s.String(), messageUnits)
		}
	})
	return text
}

// messageUnits bounds an error's text.
const messageUnits = 16_000

// place locates the failure at the innermost frame in the model's text.
func (e *engine) place(f *wire.FailedHead, stack []goja.StackFrame) {
	for _, frame := range stack {
		if frame.SrcName() == scriptName {
			p := frame.Position()
			e.script.source.locate(f, p.Line, p.Column)
			return
		}
	}
}

var framePosition = regexp.MustCompile(regexp.QuoteMeta(scriptName) + `:(\d+):(\d+)`)

// placeFromText does the same from a stack's text.
func (e *engine) placeFromText(f *wire.FailedHead, stack string) {
	// The message stands before the frames and may hold anything.
	if at := strings.Index(stack, f.Message); at >= 0 {
		stack = stack[at+len(f.Message):]
	}
	m := framePosition.FindStringSubmatch(stack)
	if m == nil {
		return
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	e.script.source.locate(f, line, column)
}

// stackText is the stack property of an Error of ours.
func stackText(head string, stack []goja.StackFrame) string {
	var b strings.Builder
	b.WriteString(head)
	for _, frame := range stack {
		if frame.SrcName() == scriptName {
			p := frame.Position()
			fmt.Fprintf(&b, "\n    at %s:%d:%d", scriptName, p.Line, p.Column)
		}
	}
	return b.String()
}

// describe is a short text for any thrown value; it runs no code of the script.
func (r *realm) describe(v goja.Value) string {
	in := inspector{realm: r, budget: describeUnits}
	return in.value(v)
}

// describeUnits bounds a thrown value's text.
const describeUnits = 500

// typeName names a value as an argument.
func (r *realm) typeName(v goja.Value) string {
	switch v := v.(type) {
	case goja.String:
		return "a string"
	case *goja.Symbol:
		return "a symbol"
	case *goja.Object:
		return "an object"
	default:
		if goja.IsNull(v) {
			return "null"
		}
		switch v.Export().(type) {
		case bool:
			return "a boolean"
		case int64, float64:
			return "a number"
		}
		return "a bigint"
	}
}
