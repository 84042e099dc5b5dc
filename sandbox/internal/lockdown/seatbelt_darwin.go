package lockdown

import (
	"errors"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

//go:cgo_import_dynamic libc_sandbox_init sandbox_init "/usr/lib/libSystem.B.dylib"

// The C function is reached as x/sys reaches its own, so that no C compiler is needed.

var libc_sandbox_init_trampoline_addr uintptr

//go:linkname libcCall syscall.syscall
func libcCall(fn, a1, a2, a3 uintptr) (r1, r2 uintptr, errno unix.Errno)

// sandboxInit puts this process into a Seatbelt profile for good.
func sandboxInit(profile string) error {
	text, err := unix.BytePtrFromString(profile)
	if err != nil {
		return err
	}
	var message *byte
	r, _, _ := libcCall(libc_sandbox_init_trampoline_addr, uintptr(unsafe.Pointer(text)), 0, uintptr(unsafe.Pointer(&message)))
	runtime.KeepAlive(text)
	if int32(r) == 0 {
		return nil
	}
	if message == nil {
		return errors.New("sandbox_init refused")
	}
	return errors.New(unix.BytePtrToString(message))
}
