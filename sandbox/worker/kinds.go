package worker

import (
	"reflect"
	"time"

	"github.com/dop251/goja"
)

// An objectKind sorts the script's objects by what they mean as data.
type objectKind int

const (
	kindPlain objectKind = iota
	kindArray
	kindInstance // of a class, or anything with a prototype of its own
	kindFunction
	kindDate
	kindRegExp
	kindError
	kindMap
	kindSet
	kindPromise
	kindBuffer // ArrayBuffer, DataView
	kindTyped  // a typed array
	kindProxy
	kindBoxed // new Number(1), Object("a")
	kindRaw   // JSON.rawJSON
	kindArguments
)

var (
	typePlain    = reflect.TypeFor[map[string]any]()
	typeArray    = reflect.TypeFor[[]any]()
	typeMap      = reflect.TypeFor[[][2]any]()
	typePromise  = reflect.TypeFor[*goja.Promise]()
	typeProxy    = reflect.TypeFor[goja.Proxy]()
	typeBuffer   = reflect.TypeFor[goja.ArrayBuffer]()
	typeDate     = reflect.TypeFor[time.Time]()
	typeFunction = reflect.TypeFor[func(goja.FunctionCall) goja.Value]()
	typeClass    = reflect.TypeFor[func(goja.ConstructorCall) *goja.Object]()
)

// kindOf runs no code of the script but a proxy's getPrototypeOf, and that only where it says so.
func (r *realm) kindOf(o *goja.Object) objectKind {
	switch t := o.ExportType(); t {
	case typePlain:
		return r.kindOfOrdinary(o)
	case typeArray:
		if o.ClassName() == "Array" {
			return kindArray
		}
		return kindSet
	case typeMap:
		return kindMap
	case typePromise:
		return kindPromise
	case typeProxy:
		return kindProxy
	case typeBuffer:
		return kindBuffer
	case typeDate:
		return kindDate
	case typeFunction, typeClass:
		return kindFunction
	default:
		switch t.Kind() {
		case reflect.Func:
			return kindFunction
		case reflect.Slice:
			return kindTyped
		}
		return kindBoxed
	}
}

func (r *realm) kindOfOrdinary(o *goja.Object) objectKind {
	switch o.ClassName() {
	case "Error":
		return kindError
	case "RegExp":
		return kindRegExp
	case "RawJSON":
		return kindRaw
	case "Arguments":
		return kindArguments
	case "Function", "AsyncFunction", "GeneratorFunction":
		return kindFunction
	case "Number", "String", "Boolean":
		return kindBoxed
	}
	if p := o.Prototype(); p == nil || p == r.objectProto {
		return kindPlain
	}
	return kindInstance
}
