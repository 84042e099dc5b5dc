package worker

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/dop251/goja"
)

// goNotation begins the one message in which the engine writes an object in Go's notation, with addresses.
const goNotation = "Could not convert &"

// plainTypeErrors puts a constructor of ours in the place from which the engine takes the TypeErrors it throws
// itself, so that goNotation reaches no script, by whatever road: results of tools have no prototype, so the engine
// throws it for every ${result}. The script's own TypeError stays the engine's. There is no exported hook for this.
func (r *realm) plainTypeErrors() {
	original := r.vm.GlobalObject().Get("TypeError")
	made := r.vm.ToValue(func(c goja.ConstructorCall) *goja.Object {
		message := c.Argument(0)
		if strings.HasPrefix(message.String(), goNotation) {
			message = r.vm.ToValue(textNoPrimitive)
		}
		e, err := r.vm.New(original, message)
		if err != nil {
			panic(err)
		}
		return e
	}).(*goja.Object)
	slot := reflect.ValueOf(r.vm).Elem().FieldByName("global").FieldByName("TypeError")
	*(**goja.Object)(unsafe.Pointer(slot.UnsafeAddr())) = made
}
