package worker

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A layout finds the members of objects and arrays where the engine keeps them. The engine's exported way to list an
// object makes two allocations a key and looks every key and index up as text, which is half the time of writing a
// large value, and its way to set a member guards against exceptions that a new object cannot throw. Where the engine's
// types are not those it knows, it knows no object at all, and callers go the exported way.
type layout struct {
	self                    int // of an Object, the field with its implementation
	object, array, property reflect.Type
	values, names, items    uintptr // offsets
}

// newLayout finds the layout in the objects of a realm.
func newLayout(vm *goja.Runtime) layout {
	var l layout
	holder, ok := reflect.TypeFor[goja.Object]().FieldByName("self")
	if !ok || holder.Type.Kind() != reflect.Interface {
		return layout{}
	}
	l.self = holder.Index[0]
	sample := vm.NewObject()
	_ = sample.DefineDataProperty("hidden", goja.Null(), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE) // of a new object, always possible
	object, array := l.of(sample), l.of(vm.NewArray())
	values, hasValues := field[map[unistring.String]goja.Value](object)
	names, hasNames := field[[]unistring.String](object)
	items, hasItems := field[[]goja.Value](array)
	if !hasValues || !hasNames || !hasItems {
		return layout{}
	}
	l.values, l.names, l.items = values, names, items
	l.property = reflect.TypeOf((*(*map[unistring.String]goja.Value)(unsafe.Add(object.UnsafePointer(), values)))["hidden"])
	l.object, l.array = object.Type(), array.Type()
	return l
}

// field gives the offset of the one field of a type in the struct v points to.
func field[T any](v reflect.Value) (offset uintptr, ok bool) {
	if v.Kind() != reflect.Pointer || v.Type().Elem().Kind() != reflect.Struct {
		return 0, false
	}
	for i := range v.Type().Elem().NumField() {
		if f := v.Type().Elem().Field(i); f.Type == reflect.TypeFor[T]() {
			if ok {
				return 0, false
			}
			offset, ok = f.Offset, true
		}
	}
	return offset, ok
}

// of gives what implements an object.
func (l *layout) of(o *goja.Object) reflect.Value {
	return reflect.ValueOf(o).Elem().Field(l.self).Elem()
}

// members gives an ordinary object's own members if each is plain data under an ASCII key and stands where
// Object.keys has it. Both are the engine's own and change as the script changes the object.
func (l *layout) members(o *goja.Object) (names []unistring.String, values map[unistring.String]goja.Value, ok bool) {
	self := l.of(o)
	if self.Type() != l.object {
		return nil, nil, false
	}
	p := self.UnsafePointer()
	names = *(*[]unistring.String)(unsafe.Add(p, l.names))
	values = *(*map[unistring.String]goja.Value)(unsafe.Add(p, l.values))
	for _, name := range names {
		if name != "" && name[0] >= '0' && name[0] <= '9' || name.AsUtf16() != nil || !l.data(values[name]) {
			return nil, nil, false // a key that is an index may still have to be sorted in front of the others
		}
	}
	return names, values, true
}

// data says whether what stands for a member is its value, not how to get it.
func (l *layout) data(v goja.Value) bool { return v != nil && reflect.TypeOf(v) != l.property }

// item gives an array's element, nil if it is not plain data.
func (l *layout) item(o *goja.Object, i int) goja.Value {
	self := l.of(o)
	if self.Type() != l.array {
		return nil
	}
	items := *(*[]goja.Value)(unsafe.Add(self.UnsafePointer(), l.items))
	if i < len(items) && l.data(items[i]) {
		return items[i]
	}
	return nil
}

// A fresh is an ordinary object that no script has seen yet. The zero fresh is none.
type fresh struct {
	names  *[]unistring.String
	values map[unistring.String]goja.Value
}

// fresh takes an object just made, which is to have about so many members.
func (l *layout) fresh(o *goja.Object, members int) fresh {
	self := l.of(o)
	if self.Type() != l.object {
		return fresh{}
	}
	p := self.UnsafePointer()
	names := (*[]unistring.String)(unsafe.Add(p, l.names))
	if members > 0 {
		*names = make([]unistring.String, 0, members+1) // one more, as the engine's own listing wants it
	}
	return fresh{names, *(*map[unistring.String]goja.Value)(unsafe.Add(p, l.values))}
}

func (f fresh) known() bool { return f.values != nil }

// set does what the engine does when a member of such an object is set.
func (f fresh) set(key string, v goja.Value) {
	name := unistring.NewFromString(key)
	if _, again := f.values[name]; !again {
		*f.names = append(*f.names, name)
	}
	f.values[name] = v
}
